// What Yu and Benson 2021 found that a lab can ask again: signs, no numbers. Of the abstract: QUIC's handshake of one round trip is its
// own advantage, congestion control decides most of the rest. From memory of the paper, not checked against it: a small object far
// away gains by the handshake; a QUIC server with CUBIC beside a TCP server with BBR (Cloudflare's then) loses under 1 % of loss.
import type { Published, Study } from "./study.ts";

const rates_mbit = [10, 100];
const farthest = "110ms";

const onEachRate = (signed: (rate: number) => Published): Published[] => rates_mbit.map(signed);

export const yuBenson2021: Study = {
  name: "yu-benson-2021",
  reference: "A. Yu, T. A. Benson: Dissecting performance of production QUIC, WWW 2021",
  quick: "yu-benson-2021-quick",
  full: "yu-benson-2021",
  published: [
    ...onEachRate((rate) => ({
      pair: { lane: "h3", over: "h2" },
      ...{ page: "object-100kB", link: `${rate}mbit/${farthest}`, percent: null, sign: 1 },
    })),
    ...onEachRate((rate) => ({
      pair: { lane: "h3", over: "h2:bbr" },
      ...{ page: null, link: `${rate}mbit/${farthest},loss=1%`, percent: null, sign: -1 },
    })),
    ...onEachRate((rate) => ({
      pair: { lane: "h3:bbr", over: "h3" },
      ...{ page: null, link: `${rate}mbit/${farthest},loss=1%`, percent: null, sign: 1 },
    })),
  ],
  differs:
    "The study loaded objects and pages from servers of Google, Facebook and Cloudflare, whose congestion controllers and initial windows were theirs to choose; here both are stated for every lane. That QUIC saves a round trip, and that congestion control decides most else, is the abstract's; the signs by network are as remembered of the paper, not checked against it. Over TLS 1.3 the handshake's advantage is one round trip of the page's four or five. Quiche's CUBIC takes reductions back after few losses, as Cloudflare's of that time did not: under random loss it need not lose to BBR here. BBR is Linux' BBRv1 over TCP, quiche's BBR2 over QUIC.",
};
