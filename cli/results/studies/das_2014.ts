// The heat maps of Das 2014: improvement in per cent of the median page load time over 500 pages. SPDY is the study's h2, Google's
// QUIC of 2014 its h3. Numbers only.
import { type Published, protocolsOf2014, type Study } from "./study.ts";

const rates_mbit = [0.2, 0.3, 0.6, 1, 1.7, 2.9, 5, 8.6, 14.6, 25];
const rtts_ms = [30, 60, 90, 120, 150, 180, 210, 240, 270, 300];

/** Rows by rate, columns by RTT. */
const maps = [
  {
    pair: { lane: "h2", over: "h1" },
    percent: [
      [-20, 3, -125, -131, -4, -6, 27, 69, 67, 64],
      [2, 17, 8, 47, -23, 47, -13, 7, 41, 42],
      [5, 3, 3, 10, 15, 18, 27, 29, 31, 31],
      [1, 0, 6, 1, 7, 10, 33, 28, 33, 35],
      [3, 2, 2, 4, 6, 9, 27, 30, 32, 26],
      [3, 4, 7, 4, 6, 8, 22, 29, 31, 30],
      [6, 5, 6, 5, 7, 8, 32, 32, 34, 32],
      [5, 4, 8, 7, 8, 12, 26, 34, 31, 34],
      [8, 8, 8, 10, 9, 9, 29, 32, 32, 34],
      [9, 10, 8, 10, 9, 9, 28, 35, 30, 30],
    ],
  },
  {
    pair: { lane: "h3", over: "h1" },
    percent: [
      [48, -57, -63, -17, 23, 15, 13, 62, 57, 58],
      [11, 34, 27, 57, -2, 60, -4, -3, 41, 37],
      [2, -5, -4, 24, 28, 26, 26, 11, 20, 13],
      [-10, -18, 4, 11, 13, 9, 16, 0, 14, 3],
      [-33, -30, -8, 0, 3, 6, 6, 7, 10, 6],
      [-43, -25, -10, -2, -1, 1, 5, 8, 14, 12],
      [-66, -69, -30, -16, -10, -3, 1, 7, 11, 11],
      [-83, -57, -31, -14, 7, -8, 1, 17, 10, 11],
      [-96, -84, -36, -17, -10, 0, 5, 5, 13, 4],
      [-44, -60, -39, -21, -16, -4, -1, 3, 7, 2],
    ],
  },
  {
    pair: { lane: "h3", over: "h2" },
    percent: [
      [57, -61, 28, 49, 26, 20, -19, -24, -28, -16],
      [9, 20, 20, 20, 16, 24, 8, -11, 0, -8],
      [-4, -8, -7, 16, 15, 9, -2, -26, -15, -27],
      [-10, -18, -2, 10, 6, -1, -24, -38, -28, -48],
      [-37, -34, -10, -4, -3, -4, -28, -32, -32, -28],
      [-48, -29, -18, -6, -7, -8, -22, -30, -25, -26],
      [-76, -79, -38, -21, -19, -12, -45, -38, -34, -31],
      [-92, -65, -41, -23, -2, -23, -35, -25, -30, -35],
      [-113, -99, -47, -29, -20, -10, -33, -40, -28, -46],
      [-58, -79, -52, -34, -28, -14, -41, -48, -33, -39],
    ],
  },
] as const;

const published: Published[] = maps.flatMap(({ pair, percent }) =>
  percent.flatMap((row, rate) =>
    row.map((value, rtt) => ({
      pair,
      page: null,
      link: `${rates_mbit[rate]}mbit/${rtts_ms[rtt]}ms`,
      percent: value,
      sign: Math.sign(value),
    })),
  ),
);

export const das2014: Study = {
  name: "das-2014",
  reference: "S. R. Das: Evaluation of QUIC on web page performance, MEng thesis, MIT, 2014",
  quick: "das-2014-subset",
  full: "das-2014-grid",
  published,
  figures: "ratio of medians over pages",
  isOfCorpus: true,
  contrast: {
    pair: { lane: "h3", over: "h1" },
    extremes: [
      { side: "helped", percent: 88, servers: 52, requests: 223, objectBytes: 8000, bytes: 1_695_000 },
      { side: "helped", percent: 60, servers: 3, requests: 59, objectBytes: 8000, bytes: 455_000 },
      { side: "hurt", percent: -1979, servers: 31, requests: 680, objectBytes: 17_000, bytes: 11_304_000 },
      { side: "hurt", percent: -8028, servers: 31, requests: 156, objectBytes: 18_000, bytes: 2_830_000 },
    ],
    // Printed the other way round: the worst ten have 1.5 times as many addresses.
    changes: { servers: 1 / 1.5, requests: 1 / 2.3, objectBytes: 1 / 3.6, bytes: 1 / 12, https: 1.6 },
  },
  differs: `${protocolsOf2014} in prototype servers and Chrome 37, over TLS 1.2, and 500 recorded sites of 2014; here they are HTTP/2 and HTTP/3 over TLS 1.3 and the pages named above. Modelled pages (of trilane corpus) have the sites' published numbers of servers, objects and bytes, not their contents: the share of HTTPS and what asks for what are ours. An http:// origin is spoken to in clear on h1, as it was in 2014, and over TLS on the other lanes. The thesis measured what its servers cost: 8 MB at 14 Mbit/s took QUIC 12 % longer than HTTP, without a limit 7.3 times as long, so that its QUIC lost most on fast, near links; quiche is no prototype.`,
};

/** A page of the size of the thesis' one, on the link between its networks. */
const reproducibilityLink = "10mbit/50ms";

export const das2014Reproducibility: Study = {
  name: "das-2014-reproducibility",
  reference: `${das2014.reference}, reproducibility of replay`,
  quick: "das-2014-reproducibility-quick",
  full: "das-2014-reproducibility",
  published: [],
  spreads: ["h1", "h2", "h3"].map((lane) => ({
    lane,
    page: "carlucci-medium",
    link: reproducibilityLink,
    published: "2.5 % (743 ± 18 ms)",
    less_than: 0.13,
    than_what: "13 % (718 ± 95 ms) of the live page",
  })),
  differs:
    "The thesis loaded one page 100 times from the live web (718 ± 95 ms, 13 %) and 100 times from its replay (743 ± 18 ms, 2.5 %): replay takes the web's chance away. Here a synthetic page of the same load time is loaded 100 times over each lane; what is left to vary is the browser and this machine. Whether ours is below the live page's spread is what its sign asks; a live page cannot be loaded twice alike, so it is not loaded here.",
};
