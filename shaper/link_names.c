#include "shaper/link_names.h"

#include <string.h>

// One-way delays, so that a form may change either; no setting for both directions where each has its own.
static const struct {
    const char *name;
    const char *form;
} links[] = {
    {"3g", "down=1.6mbit,up=768kbit,delay_down=150ms,delay_up=150ms"},
    {"slow-4g", "down=1.6384mbit,up=750kbit,delay_down=75ms,delay_up=75ms"},
    {"fast-4g", "down=9mbit,up=1.5mbit,delay_down=30ms,delay_up=30ms"},
    {"5g", "down=150mbit,up=20mbit,delay_down=15ms,delay_up=15ms"},
    {"dsl", "down=16mbit,up=1mbit,delay_down=15ms,delay_up=15ms"},
    {"cable", "down=100mbit,up=10mbit,delay_down=10ms,delay_up=10ms"},
    {"fibre", "down=500mbit,up=500mbit,delay_down=4ms,delay_up=4ms"},
    {"satellite", "down=50mbit,up=5mbit,delay_down=300ms,delay_up=300ms"},
    {"satellite-leo", "down=150mbit,up=15mbit,delay_down=20ms,delay_up=20ms,jitter=normal:4ms,loss=0.2%"},
    {"train", "down=12mbit,up=3mbit,delay_down=45ms,delay_up=45ms,jitter=normal:10ms,loss=ge:0.1%:20%:30%,"
              "onoff=exp:30s:2s"},
    {"wpt-cable", "down=5mbit,up=1mbit,delay_down=14ms,delay_up=14ms"},
    {"wpt-dsl", "down=1.5mbit,up=384kbit,delay_down=25ms,delay_up=25ms"},
    {"wpt-fios", "down=20mbit,up=5mbit,delay_down=2ms,delay_up=2ms"},
    {"wpt-dial", "down=49kbit,up=30kbit,delay_down=60ms,delay_up=60ms"},
    {"wpt-edge", "down=240kbit,up=200kbit,delay_down=420ms,delay_up=420ms"},
    {"wpt-3g-slow", "down=400kbit,up=400kbit,delay_down=200ms,delay_up=200ms"},
    {"wpt-3g", "down=1.6mbit,up=768kbit,delay_down=150ms,delay_up=150ms"},
    {"wpt-3g-fast", "down=1.6mbit,up=768kbit,delay_down=75ms,delay_up=75ms"},
    {"wpt-4g", "down=9mbit,up=9mbit,delay_down=85ms,delay_up=85ms"},
    {"wpt-lte", "down=12mbit,up=12mbit,delay_down=35ms,delay_up=35ms"},
    {"lighthouse-3g", "down=700kbit,up=700kbit,delay_down=150ms,delay_up=150ms"},
    {"lighthouse-slow-4g", "down=1.6384mbit,up=750kbit,delay_down=75ms,delay_up=75ms"},
    {"lighthouse-desktop", "down=10.24mbit,up=10.24mbit,delay_down=20ms,delay_up=20ms"},
    {"cse534-hb-ll", "down=30mbit,up=15mbit,delay_down=1ms,delay_up=1ms"},
    {"cse534-lb-hl", "down=750kbit,up=250kbit,delay_down=50ms,delay_up=50ms"},
    {"cse534-hb-hl", "down=30mbit,up=15mbit,delay_down=50ms,delay_up=50ms"},
    {"cse534-lb-ll", "down=750kbit,up=250kbit,delay_down=1ms,delay_up=1ms"},
};

const char *link_form_named(const char *name, size_t size) {
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        if (strlen(links[i].name) == size && memcmp(links[i].name, name, size) == 0) return links[i].form;
    return NULL;
}

const char *link_name(size_t index) {
    return index < sizeof links / sizeof links[0] ? links[index].name : NULL;
}
