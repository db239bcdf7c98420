// Carlucci, De Cicco and Mascolo 2015, scenarios 1 and 2: bulk flows. What the text says of them; its plots are not read off.
import type { FlowFigure, FlowMeasure, FlowStudy } from "./flow_study.ts";

const paper = "G. Carlucci, L. De Cicco, S. Mascolo: HTTP over UDP: an experimental investigation of QUIC, SAC 2015";

const goodput: FlowMeasure = { of: "group", group: 0, metric: "goodput_bps" };
const utilization: FlowMeasure = { of: "link", metric: "utilization" };

const linkOf = (rate_mbit: number, loss: number, fec = false): string =>
  `${rate_mbit}mbit/50ms${loss > 0 ? `,loss=${loss}%` : ""}${fec ? ",fec=2" : ""}`;

const atRate = (rate: number): FlowFigure[] => {
  const clean = linkOf(rate, 0);
  const used = (mix: string): FlowFigure => ({
    ...{ what: `utilization, ${mix} alone, no loss`, mix, link: clean, measure: utilization },
    ...{ published: "about 0.99", sign: 0, beside: 0.99, within: 0.03 },
  });
  const repaired = (loss: number): FlowFigure => {
    const link = linkOf(rate, loss, true);
    const over = { mix: "QUIC", link: linkOf(rate, loss), measure: goodput };
    const what = `goodput of QUIC with FEC over that without, ${loss} % loss`;
    return { what, mix: "QUIC", link, measure: goodput, over, published: "less", sign: -1, beside: 1 };
  };
  const parity: FlowFigure = {
    ...repaired(0),
    what: "goodput of QUIC with FEC over that without: what parity leaves",
    ...{ published: "about 0.67", sign: 0, beside: 2 / 3, within: 0.05 },
  };
  const lossy = (loss: number): FlowFigure[] => {
    const link = linkOf(rate, loss);
    return [
      {
        ...{ what: `goodput of TCP at ${loss} % loss over that without loss`, mix: "TCP", link, measure: goodput },
        over: { mix: "TCP", link: clean, measure: goodput },
        ...{ published: "less", sign: -1, beside: 1 },
      },
      {
        ...{ what: `goodput of QUIC over that of TCP, ${loss} % loss`, mix: "QUIC", link, measure: goodput },
        over: { mix: "TCP", link, measure: goodput },
        ...{ published: "more", sign: 1, beside: 1 },
      },
    ];
  };
  return [used("QUIC"), used("TCP"), parity, ...[0, 1, 2].map(repaired), ...[1, 2].flatMap(lossy)];
};

/** What loss costs TCP of a fast link is more than of a slow one. */
const steeper: FlowFigure = {
  ...{ what: "utilization by TCP of 10 Mbit/s over that of 3 Mbit/s, 2 % loss", mix: "TCP", link: linkOf(10, 2) },
  measure: utilization,
  over: { mix: "TCP", link: linkOf(3, 2), measure: utilization },
  ...{ published: "less", sign: -1, beside: 1 },
};

export const carlucci2015S1: FlowStudy = {
  name: "carlucci-2015-s1",
  reference: `${paper}, scenario 1`,
  quick: "carlucci-2015-s1-quick",
  full: "carlucci-2015-s1",
  figures: [...[3, 6, 10].flatMap(atRate), steeper],
  differs:
    "The study's QUIC was Google's of 2014: CUBIC as two flows, FEC of one packet for two, within QUIC. Here QUIC is quiche with a CUBIC of two flows (cubic-n2), and FEC is the link's: a parity packet follows every two datagrams and repairs one loss among them, before QUIC sees it. Parity takes a third of what is sent either way. But repair hides losses from the controller, so that at 1 and 2 % QUIC with FEC may come closer to its two thirds of the link than QUIC without comes to the whole: how far goodput falls with loss then decides the sign. Linux' CUBIC at these losses and 50 ms sends as Reno does, sqrt(1.5 / p) packets a round trip: 2.8 Mbit/s at 1 %, 2.0 Mbit/s at 2 %, and two flows' worth of CUBIC about 1.8 times as much.",
};

const between: FlowMeasure = { of: "link", metric: "share_ratio" };
/** The kernel's TCP as it is, and paced as QUIC is: what of the shares is the controllers' and what the bursts'. */
const rivals = [
  { mix: "QUIC against TCP", rival: "TCP" },
  { mix: "QUIC against paced TCP", rival: "paced TCP" },
] as const;
const buffers = [
  { kB: 13, published: "about 3", sign: 1 },
  { kB: 30, published: "about 1.5", sign: 1 },
  { kB: 60, published: "equal", sign: 0 },
] as const;
const behind = (kB: number): string => `5mbit/50ms,queue=${kB}kB`;

export const carlucci2015S2: FlowStudy = {
  name: "carlucci-2015-s2",
  reference: `${paper}, scenario 2`,
  quick: "carlucci-2015-s2-quick",
  full: "carlucci-2015-s2",
  figures: rivals.flatMap(({ mix, rival }): FlowFigure[] => [
    ...buffers.map(
      ({ kB, published, sign }): FlowFigure => ({
        what: `goodput of QUIC over that of ${rival}, buffer of ${kB} kB`,
        ...{ mix, link: behind(kB), measure: between },
        ...{ published, sign, beside: 1, within: 0.25 },
      }),
    ),
    ...(
      [
        [13, 30],
        [30, 60],
      ] as const
    ).map(
      ([small, large]): FlowFigure => ({
        what: `the ratio to ${rival} at ${small} kB over that at ${large} kB`,
        ...{ mix, link: behind(small), measure: between },
        over: { mix, link: behind(large), measure: between },
        ...{ published: "more", sign: 1, beside: 1 },
      }),
    ),
  ]),
  differs:
    "The study's QUIC kept 0.85 of its window after a loss, as two CUBIC flows, and TCP 0.7; here quiche runs that controller (cubic-n2) against Linux' CUBIC. In theory the ratio is 3.7 where both lose packets at the same times and 2 where they do not, so that 1 at 60 kB is not explained by controllers. Linux' TCP sends bursts, which a short queue cuts, and QUIC is paced: beside TCP that is paced too, ratios lie within the theory's. QUIC's packets have 1378 bytes and TCP's 1500, and a queue counted in bytes that has no room for the one may have room for the other; with 4 packets in its window, as at 13 kB, TCP waits for time-outs.",
};
