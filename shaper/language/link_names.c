#include "shaper/language/link_names.h"

#include <string.h>

static const struct named_link links[] = {
    {"3g", "down=1.6mbit,up=768kbit,delay_down=150ms,delay_up=150ms", "mobile 3G, as wpt-3g",
     "Round figures"},
    {"fast-3g", "down=1.6mbit,up=768kbit,delay_down=75ms,delay_up=75ms", "fast 3G, as wpt-3g-fast",
     "Round figures"},
    {"slow-4g", "down=1.6384mbit,up=750kbit,delay_down=75ms,delay_up=75ms", "slow 4G, as lighthouse-slow-4g",
     "Round figures"},
    {"fast-4g", "down=9mbit,up=1.5mbit,delay_down=30ms,delay_up=30ms", "4G, as Chrome DevTools' Fast 4G",
     "Round figures"},
    {"5g", "down=150mbit,up=20mbit,delay_down=15ms,delay_up=15ms", "5G outdoors", "Round figures"},
    {"dsl", "down=16mbit,up=1mbit,delay_down=15ms,delay_up=15ms", "ADSL2+", "Round figures"},
    {"cable", "down=100mbit,up=10mbit,delay_down=10ms,delay_up=10ms", "cable", "Round figures"},
    {"fibre", "down=500mbit,up=500mbit,delay_down=4ms,delay_up=4ms", "fibre to the home", "Round figures"},
    {"satellite", "down=50mbit,up=5mbit,delay_down=300ms,delay_up=300ms", "geostationary satellite",
     "Round figures"},
    {"satellite-leo", "down=150mbit,up=15mbit,delay_down=20ms,delay_up=20ms,jitter=normal:4ms,loss=0.2%",
     "low satellites", "Round figures"},
    {"train",
     "down=12mbit,up=3mbit,delay_down=45ms,delay_up=45ms,jitter=normal:10ms,loss=ge:0.1%:20%:30%,onoff=exp:"
     "30s:2s",
     "4G on a train: jitter, loss, gaps", "Round figures"},
    {"wpt-cable", "down=5mbit,up=1mbit,delay_down=14ms,delay_up=14ms", "Cable", "WebPageTest's connections"},
    {"wpt-dsl", "down=1.5mbit,up=384kbit,delay_down=25ms,delay_up=25ms", "DSL", "WebPageTest's connections"},
    {"wpt-fios", "down=20mbit,up=5mbit,delay_down=2ms,delay_up=2ms", "FIOS", "WebPageTest's connections"},
    {"wpt-dial", "down=49kbit,up=30kbit,delay_down=60ms,delay_up=60ms", "56K Dial-Up",
     "WebPageTest's connections"},
    {"wpt-edge", "down=240kbit,up=200kbit,delay_down=420ms,delay_up=420ms", "Edge",
     "WebPageTest's connections"},
    {"wpt-3g-slow", "down=400kbit,up=400kbit,delay_down=200ms,delay_up=200ms", "3G Slow",
     "WebPageTest's connections"},
    {"wpt-3g", "down=1.6mbit,up=768kbit,delay_down=150ms,delay_up=150ms", "3G", "WebPageTest's connections"},
    {"wpt-3g-fast", "down=1.6mbit,up=768kbit,delay_down=75ms,delay_up=75ms", "3G Fast",
     "WebPageTest's connections"},
    {"wpt-4g", "down=9mbit,up=9mbit,delay_down=85ms,delay_up=85ms", "4G", "WebPageTest's connections"},
    {"wpt-lte", "down=12mbit,up=12mbit,delay_down=35ms,delay_up=35ms", "LTE", "WebPageTest's connections"},
    {"lighthouse-3g", "down=700kbit,up=700kbit,delay_down=150ms,delay_up=150ms", "mobileRegular3G",
     "Lighthouse's throttling"},
    {"lighthouse-slow-4g", "down=1.6384mbit,up=750kbit,delay_down=75ms,delay_up=75ms",
     "mobileSlow4G, its default", "Lighthouse's throttling"},
    {"lighthouse-desktop", "down=10.24mbit,up=10.24mbit,delay_down=20ms,delay_up=20ms", "desktopDense4G",
     "Lighthouse's throttling"},
    {"cse534-hb-ll", "down=30mbit,up=15mbit,delay_down=1ms,delay_up=1ms", "high bandwidth, low latency",
     "CSE 534 project of 2017"},
    {"cse534-lb-hl", "down=750kbit,up=250kbit,delay_down=50ms,delay_up=50ms", "low bandwidth, high latency",
     "CSE 534 project of 2017"},
    {"cse534-hb-hl", "down=30mbit,up=15mbit,delay_down=50ms,delay_up=50ms", "high bandwidth, high latency",
     "CSE 534 project of 2017"},
    {"cse534-lb-ll", "down=750kbit,up=250kbit,delay_down=1ms,delay_up=1ms", "low bandwidth, low latency",
     "CSE 534 project of 2017"},
};

const struct named_link *link_named(const char *name, size_t size) {
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        if (strlen(links[i].name) == size && memcmp(links[i].name, name, size) == 0) return &links[i];
    return NULL;
}

const struct named_link *link_named_at(size_t index) {
    return index < sizeof links / sizeof links[0] ? &links[index] : NULL;
}
