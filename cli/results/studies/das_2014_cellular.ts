// What Das 2014 found on cellular links: QUIC with Sprout-EWMA against QUIC with CUBIC over LTE traces of Verizon and AT&T, by minimum
// round-trip time, as CDFs over pages: how much lower the median, or the 95th percentile, over pages is. Its traces are not ours.
import { das2014 } from "./das_2014.ts";
import { type Published, protocolsOf2014, type Study } from "./study.ts";

const [cubic, sprout] = ["h3:cubic", "h3:sprout"];

/** As the plans have it: a second of buffer. */
const linkOf = (network: string, rtt_ms: number): string =>
  `trace_down=${network}.down,trace_up=${network}.up,rtt=${rtt_ms}ms,queue=1000ms`;

const sproutOverCubic = (network: string, rtt_ms: number, percent: number): Published => ({
  pair: { lane: sprout, over: cubic },
  ...{ page: null, link: linkOf(network, rtt_ms), percent, sign: Math.sign(percent) },
});

const slowestPages = (network: string, percent: number): Published => ({
  pair: { lane: cubic, over: sprout },
  ...{ page: null, link: linkOf(network, 30), quantile: 0.95, percent, sign: 1 },
});

const traces =
  "The thesis' traces had 19.1 Mbit/s down and 9.1 up (Verizon), 6.7 and 1.1 (AT&T); ours are drawn with these means from a model (a mean-reverting rate with outages, as trilane trace synth draws them), over 30 s, or are the measured ones that --trace named. They are other traces in any case, so signs are compared, not numbers. Every load begins at its trace's beginning and sees its first seconds. The link's buffer is a second at its mean rate, because cellular networks have deep ones; the thesis' is not known here.";

export const das2014Cellular: Study = {
  name: "das-2014-cellular",
  reference: `${das2014.reference}, cellular networks`,
  quick: "das-2014-cellular-quick",
  full: "das-2014-cellular",
  figures: "ratio of medians over pages",
  published: [
    slowestPages("verizon-lte", 13),
    slowestPages("att-lte", 16),
    sproutOverCubic("verizon-lte", 120, -10),
    sproutOverCubic("att-lte", 120, 13),
    sproutOverCubic("verizon-lte", 300, 10),
    sproutOverCubic("att-lte", 300, 13),
  ],
  differs: `${traces} h3:cubic is CUBIC of RFC 9438 (cubic-n1). h3:sprout is Sprout-EWMA driven by the browser's acknowledgements, because a browser sends no receive times, as the thesis' client did; it gets less out of a fast link far away. The thesis had 500 recorded sites; of few pages the 95th percentile is nearly the slowest page alone.`,
};

export const das2014CellularLanes: Study = {
  name: "das-2014-cellular-lanes",
  reference: `${das2014.reference}, cellular networks`,
  quick: "das-2014-cellular-lanes-quick",
  full: "das-2014-cellular-lanes",
  published: [],
  differs: `${protocolsOf2014}. ${traces}`,
};
