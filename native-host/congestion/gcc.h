// Google Congestion Control, `gcc` (gcc.c).
#pragma once

#include "congestion/congestion.h"

extern const struct congestion_controller gcc;
