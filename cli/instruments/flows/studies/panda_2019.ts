// Panda 2019 (TUM): fairness of QUIC and TCP downloads of 200 MB that share a bottleneck, over their progress. What the thesis says in
// words; it gives no numbers here. --quick has the same mixes with smaller files on a slower link.
import type { FlowFigure, FlowStudy } from "./flow_study.ts";

/** Of the full plan and the quick one. */
const links = ["50mbit/40ms", "20mbit/40ms"];
const against = ["1 QUIC + 1 TCP", "1 QUIC + 2 TCP", "2 QUIC + 2 TCP", "1 QUIC + 8 TCP"];
const more = { published: "more than its share", sign: 1, beside: 1 } as const;

const onLink = (link: string): FlowFigure[] => [
  ...against.flatMap((mix): FlowFigure[] => [
    {
      ...{ what: `goodput of a QUIC flow over that of a TCP flow, ${mix}`, mix, link, ...more },
      measure: { of: "link", metric: "share_ratio" },
    },
    ...[1, 5].map(
      (tenths): FlowFigure => ({
        ...{
          what: `how much sooner a QUIC flow has ${tenths}0 % of the file than a TCP flow, ${mix}`,
          mix,
          link,
          ...more,
        },
        measure: { of: "progress", tenths },
      }),
    ),
  ]),
  {
    ...{ what: "Jain's index of two QUIC flows", mix: "2 QUIC", link, measure: { of: "link", metric: "jain" } },
    ...{ published: "fair", sign: 0, beside: 1, within: 0.05 },
  },
];

export const panda2019: FlowStudy = {
  name: "panda-2019-fairness",
  reference: "A. Panda: web and video over QUIC, thesis, Technical University of Munich, 2019, fairness",
  quick: "panda-2019-fairness-quick",
  full: "panda-2019-fairness",
  figures: links.flatMap(onLink),
  differs:
    "The thesis downloaded from servers of 2019, over the internet's links: neither its bottleneck nor its servers' controllers are known, and QUIC of that time acted as two CUBIC flows or ran BBR. Here all flows have CUBIC of one flow over one link with a buffer of one bandwidth-delay product: quiche's for QUIC, Linux' for TCP with TLS 1.3. Quiche takes back a reduction of its window after few losses, and its pacing and HyStart differ from Linux': a share above or below one half is these implementations', not the protocol's.",
};
