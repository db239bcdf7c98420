// The links that have a name: what they are, whose figures they have, and their short forms. shaper/link_names.c has the
// same names and forms; schemas/examples/link-forms.json is the test of both. Reads nothing.

export interface NamedLink {
  readonly name: string;
  /** One-way delays, so that a form may change either; no setting for both directions where each has its own. */
  readonly form: string;
  readonly summary: string;
  /** Who published the figures; "Round figures": Trilane's own, of the size that people meet. */
  readonly source: string;
}

export const namedLinks: readonly NamedLink[] = [
  {
    name: "3g",
    form: "down=1.6mbit,up=768kbit,delay_down=150ms,delay_up=150ms",
    summary: "mobile 3G, as wpt-3g",
    source: "Round figures",
  },
  {
    name: "slow-4g",
    form: "down=1.6384mbit,up=750kbit,delay_down=75ms,delay_up=75ms",
    summary: "slow 4G, as lighthouse-slow-4g",
    source: "Round figures",
  },
  {
    name: "fast-4g",
    form: "down=9mbit,up=1.5mbit,delay_down=30ms,delay_up=30ms",
    summary: "4G, as Chrome DevTools' Fast 4G",
    source: "Round figures",
  },
  {
    name: "5g",
    form: "down=150mbit,up=20mbit,delay_down=15ms,delay_up=15ms",
    summary: "5G outdoors",
    source: "Round figures",
  },
  {
    name: "dsl",
    form: "down=16mbit,up=1mbit,delay_down=15ms,delay_up=15ms",
    summary: "ADSL2+",
    source: "Round figures",
  },
  {
    name: "cable",
    form: "down=100mbit,up=10mbit,delay_down=10ms,delay_up=10ms",
    summary: "cable",
    source: "Round figures",
  },
  {
    name: "fibre",
    form: "down=500mbit,up=500mbit,delay_down=4ms,delay_up=4ms",
    summary: "fibre to the home",
    source: "Round figures",
  },
  {
    name: "satellite",
    form: "down=50mbit,up=5mbit,delay_down=300ms,delay_up=300ms",
    summary: "geostationary satellite",
    source: "Round figures",
  },
  {
    name: "satellite-leo",
    form: "down=150mbit,up=15mbit,delay_down=20ms,delay_up=20ms,jitter=normal:4ms,loss=0.2%",
    summary: "low satellites",
    source: "Round figures",
  },
  {
    name: "train",
    form: "down=12mbit,up=3mbit,delay_down=45ms,delay_up=45ms,jitter=normal:10ms,loss=ge:0.1%:20%:30%,onoff=exp:30s:2s",
    summary: "4G on a train: jitter, loss, gaps",
    source: "Round figures",
  },
  {
    name: "wpt-cable",
    form: "down=5mbit,up=1mbit,delay_down=14ms,delay_up=14ms",
    summary: "Cable",
    source: "WebPageTest's connections",
  },
  {
    name: "wpt-dsl",
    form: "down=1.5mbit,up=384kbit,delay_down=25ms,delay_up=25ms",
    summary: "DSL",
    source: "WebPageTest's connections",
  },
  {
    name: "wpt-fios",
    form: "down=20mbit,up=5mbit,delay_down=2ms,delay_up=2ms",
    summary: "FIOS",
    source: "WebPageTest's connections",
  },
  {
    name: "wpt-dial",
    form: "down=49kbit,up=30kbit,delay_down=60ms,delay_up=60ms",
    summary: "56K Dial-Up",
    source: "WebPageTest's connections",
  },
  {
    name: "wpt-edge",
    form: "down=240kbit,up=200kbit,delay_down=420ms,delay_up=420ms",
    summary: "Edge",
    source: "WebPageTest's connections",
  },
  {
    name: "wpt-3g-slow",
    form: "down=400kbit,up=400kbit,delay_down=200ms,delay_up=200ms",
    summary: "3G Slow",
    source: "WebPageTest's connections",
  },
  {
    name: "wpt-3g",
    form: "down=1.6mbit,up=768kbit,delay_down=150ms,delay_up=150ms",
    summary: "3G",
    source: "WebPageTest's connections",
  },
  {
    name: "wpt-3g-fast",
    form: "down=1.6mbit,up=768kbit,delay_down=75ms,delay_up=75ms",
    summary: "3G Fast",
    source: "WebPageTest's connections",
  },
  {
    name: "wpt-4g",
    form: "down=9mbit,up=9mbit,delay_down=85ms,delay_up=85ms",
    summary: "4G",
    source: "WebPageTest's connections",
  },
  {
    name: "wpt-lte",
    form: "down=12mbit,up=12mbit,delay_down=35ms,delay_up=35ms",
    summary: "LTE",
    source: "WebPageTest's connections",
  },
  {
    name: "lighthouse-3g",
    form: "down=700kbit,up=700kbit,delay_down=150ms,delay_up=150ms",
    summary: "mobileRegular3G",
    source: "Lighthouse's throttling",
  },
  {
    name: "lighthouse-slow-4g",
    form: "down=1.6384mbit,up=750kbit,delay_down=75ms,delay_up=75ms",
    summary: "mobileSlow4G, its default",
    source: "Lighthouse's throttling",
  },
  {
    name: "lighthouse-desktop",
    form: "down=10.24mbit,up=10.24mbit,delay_down=20ms,delay_up=20ms",
    summary: "desktopDense4G",
    source: "Lighthouse's throttling",
  },
  {
    name: "cse534-hb-ll",
    form: "down=30mbit,up=15mbit,delay_down=1ms,delay_up=1ms",
    summary: "high bandwidth, low latency",
    source: "CSE 534 project of 2017",
  },
  {
    name: "cse534-lb-hl",
    form: "down=750kbit,up=250kbit,delay_down=50ms,delay_up=50ms",
    summary: "low bandwidth, high latency",
    source: "CSE 534 project of 2017",
  },
  {
    name: "cse534-hb-hl",
    form: "down=30mbit,up=15mbit,delay_down=50ms,delay_up=50ms",
    summary: "high bandwidth, high latency",
    source: "CSE 534 project of 2017",
  },
  {
    name: "cse534-lb-ll",
    form: "down=750kbit,up=250kbit,delay_down=1ms,delay_up=1ms",
    summary: "low bandwidth, low latency",
    source: "CSE 534 project of 2017",
  },
];

const forms: ReadonlyMap<string, string> = new Map(namedLinks.map(({ name, form }) => [name, form]));

/** The short form of the link with this name; undefined: there is none. */
export function namedForm(name: string): string | undefined {
  return forms.get(name);
}
