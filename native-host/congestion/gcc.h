// Google Congestion Control, `gcc` (gcc.c).
#ifndef TRILANE_CONGESTION_GCC_H
#define TRILANE_CONGESTION_GCC_H

#include "congestion/congestion.h"

extern const struct congestion_controller gcc;

#endif
