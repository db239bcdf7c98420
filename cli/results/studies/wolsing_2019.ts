// What Wolsing, Rüth, Wehrle and Hohlfeld 2019 found, as far as their abstract says it: signs, no numbers. Tuned TCP loads pages
// faster than stock TCP; QUIC is faster than even tuned TCP, by its handshakes and, on lossy networks, because one lost packet does not
// hold up all streams. Checked against the abstract; the networks in the plan (cli/sweep/plans/wolsing-2019.json) and what TCP was
// tuned by are from memory of the paper's tables, which were not at hand.
import type { Published, Study } from "./study.ts";

/** The in-flight networks: by direct air-to-ground link, and by satellite. */
const lossy = ["468kbit/262ms,queue=200ms,loss=3.3%", "1.89mbit/760ms,queue=200ms,loss=6%"];

function faster(lane: string, over: string, link: string | null): Published {
  return { pair: { lane, over }, page: null, link, percent: null, sign: 1 };
}

export const wolsing2019: Study = {
  name: "wolsing-2019",
  reference:
    "K. Wolsing, J. Rüth, K. Wehrle, O. Hohlfeld: A performance perspective on web optimized protocol stacks: TCP+TLS+HTTP/2 vs. QUIC, ANRW 2019",
  quick: "wolsing-2019-quick",
  full: "wolsing-2019",
  published: [
    faster("h2:tuned", "h2", null),
    faster("h3:tuned", "h2:tuned", null),
    ...lossy.map((link) => faster("h3:tuned", "h2:tuned", link)),
  ],
  differs:
    "The signs are the abstract's; the networks (rates, round-trip times, losses, queues of 12 ms on DSL and 200 ms elsewhere) are as remembered of the paper, not checked against it. The study replayed 38 sites over Google's QUIC of 2019 and judged by visual metrics, SpeedIndex among them: --metric si compares by that. Here pages are synthetic unless --page names yours, TCP has TLS 1.3 (with TLS 1.2, by --tls 1.2, a connection takes a round trip more), and QUIC is quiche: its CUBIC takes reductions back after few losses, so that part of what h3 gains on the lossy networks is that. Loss here falls on both directions. A network of 6 % loss and 760 ms decides much by chance: a few loads decide little there.",
};
