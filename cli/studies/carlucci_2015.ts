// What Carlucci, De Cicco and Mascolo 2015 found in scenario 3, as far as their text says it: the sign of the improvement over
// HTTP/1.1, and one number. Of QUIC under loss it says only that it loses far less than HTTP/2.
import type { Published, Study } from "./study.ts";

const rates_mbit = [3, 10];

function overH1(lane: "h2" | "h3", rate_mbit: number, loss: string, sign: number, percent: number | null): Published {
  const link = `${rate_mbit}mbit/50ms${loss}`;
  return { pair: { lane, over: "h1" }, page: null, link, percent, sign };
}

const published: Published[] = rates_mbit.flatMap((rate) => [
  overH1("h2", rate, "", 1, null),
  overH1("h3", rate, "", 1, null),
  overH1("h2", rate, ",loss=1%", -1, null),
  overH1("h2", rate, ",loss=2%", -1, rate === 10 ? -120 : null),
]);

export const carlucci2015: Study = {
  name: "carlucci-2015-s3",
  reference:
    "G. Carlucci, L. De Cicco, S. Mascolo: HTTP over UDP: an experimental investigation of QUIC, SAC 2015, scenario 3",
  quick: "carlucci-2015-s3-quick",
  full: "carlucci-2015-s3",
  published,
  differs:
    "The study's protocols were SPDY 3.1 and Google's QUIC of 2014, HTTP/1.1 was in clear, and its mean is over ten runs; here all are encrypted and medians are compared. Linux's TCP has since got RACK and tail loss probes, which make it lose less to random loss.",
};
