#include "congestion/congestion.h"

#include "congestion/cubic_n.h"

#include <string.h>

const struct congestion_controller *congestion_at(size_t index) {
    return index < CUBIC_N_MOST ? &cubic_n[index] : NULL;
}

const struct congestion_controller *congestion_find(const char *name) {
    const struct congestion_controller *each;
    for (size_t i = 0; (each = congestion_at(i)); i++)
        if (strcmp(each->name, name) == 0) return each;
    return NULL;
}
