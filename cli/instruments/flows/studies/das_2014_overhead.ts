// Das 2014, control of overhead: 8 MB over HTTP, HTTPS and QUIC without a limit and at 14 Mbit/s, no delay: what the stacks cost.
import type { FlowFigure, FlowMeasure, FlowStudy } from "./flow_study.ts";

const measure: FlowMeasure = { of: "group", group: 0, metric: "completion_ms" };

function slower(
  mix: string,
  link: string,
  published: string,
  expected: Pick<FlowFigure, "sign" | "beside" | "within">,
): FlowFigure {
  const what = `time of 8 MB over ${mix} over that over HTTP`;
  return { what, mix, link, measure, over: { mix: "HTTP", link, measure }, published, ...expected };
}

const unlimited = "unlimited/0ms";
const slow = "14mbit/0ms";

export const das2014Overhead: FlowStudy = {
  name: "das-2014-overhead",
  reference: "S. R. Das: Evaluation of QUIC on web page performance, MEng thesis, MIT, 2014, control of overhead",
  quick: "das-2014-overhead-quick",
  full: "das-2014-overhead",
  figures: [
    slower("HTTPS", unlimited, "1.4", { sign: 1, beside: 1 }),
    slower("QUIC", unlimited, "7.3", { sign: 1, beside: 1 }),
    slower("HTTPS", slow, "less than 1.005", { sign: 0, beside: 1, within: 0.02 }),
    slower("QUIC", slow, "1.12", { sign: 1, beside: 1 }),
  ],
  differs:
    "The thesis timed prototype servers of 2014, with QUIC in one thread of unoptimized C++; here bulk flows take their place: HTTP is a TCP flow, HTTPS one with TLS 1.3, QUIC a stream of quiche, each of 8 MB. Without a limit the time is the processors', of both ends and of the link that they share on this machine. At 14 Mbit/s it is headers': a TCP packet here carries 1448 bytes of 1500, QUIC's packets of 1378 bytes carry less, which comes to 1 to 3 %. In nine runs each HTTPS took 1.1 and QUIC 3.7 times as long as HTTP without a limit, and 1.00 and 1.01 times at 14 Mbit/s.",
};
