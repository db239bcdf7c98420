// What Carlucci, De Cicco and Mascolo 2015 found in scenario 3, as far as their text says it: the sign of the improvement over
// HTTP/1.1, and one number. Of QUIC under loss it says only that it loses far less than HTTP/2.
import { type Published, protocolsOf2014, type Study } from "./study.ts";

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
  differs: `${protocolsOf2014}, HTTP/1.1 was in clear, and its mean is over ten runs; here all are encrypted and medians are compared. Under random loss what decides is chance: whether the one connection of h2 or h3 loses a packet before its slow start has filled the link. Of 24 loads of the medium page at 10 Mbit/s with loss, those that filled the queue took 0.9 to 1.3 s, as without loss; those that took more than 2 s never had it much more than half full. At 1 % the small and medium pages are mostly past that point before a packet is lost, so that h2 stays ahead of h1 where the study has it behind; over the large page it falls behind here too. h1 has six slow starts, of which one or two end early. Congestion control decides how much: in five loads each at 2 %, medians over h2 and h3 were 3.1 and 3.7 s with CUBIC, 3.7 and 5.7 s with Reno, 1.1 s both with BBR. Between h1 in clear and h1 five loads showed no difference, and could not have shown a small one.`,
};
