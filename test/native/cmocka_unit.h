// cmocka, and what its header needs before it. A test that needs no state leaves its parameter unused.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
