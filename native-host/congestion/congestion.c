#include "congestion/congestion.h"

#include <string.h>

static const struct congestion_controller *const all[] = {
    &cubic_n[0], &cubic_n[1], &cubic_n[2], &cubic_n[3], &gcc, &inter_arrival, &sprout_ewma, &sprout_ewma_acks,
};

const struct congestion_controller *congestion_at(size_t index) {
    return index < sizeof all / sizeof *all ? all[index] : NULL;
}

const struct congestion_controller *congestion_find(const char *name) {
    const struct congestion_controller *each;
    for (size_t i = 0; (each = congestion_at(i)); i++)
        if (strcmp(each->name, name) == 0) return each;
    return NULL;
}
