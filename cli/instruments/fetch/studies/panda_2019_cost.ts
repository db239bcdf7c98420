// Panda 2019 (TUM): what a download of 200 MB cost the client over QUIC and TCP: CPU time, and the system calls of QUIC by their share of the
// time. --quick downloads 50 MB over a faster link.
import type { CallKind } from "../answer/call_shares.ts";
import type { FetchFigure, FetchMeasure, FetchPlace, FetchStudy } from "./fetch_study.ts";

interface Place {
  readonly object: string;
  readonly link: string;
  readonly size: string;
}

const quick: Place = { object: "https://object-50mb.synth.test/", link: "200mbit/20ms", size: "50 MB" };
const full: Place = { object: "https://panda-sizes-200mb.synth.test/7.bin", link: "100mbit/40ms", size: "200 MB" };

const cpu: FetchMeasure = { of: "quantity", quantity: "client_cpu_ms" };
const calls = (kind: CallKind): FetchMeasure => ({ of: "calls", end: "client", kind });

function figuresAt({ object, link, size }: Place): FetchFigure[] {
  const at = (lane: "h1" | "h2" | "h3", measure: FetchMeasure): FetchPlace => ({
    object,
    link,
    lane,
    tls: "1.3",
    ip: 4,
    measure,
  });
  const share = (name: string, kind: CallKind, beside: number, sign: 1 | -1, published: string): FetchFigure => ({
    ...at("h3", calls(kind)),
    ...{ what: `share of ${name} in the time of QUIC’s system calls, ${size}`, published, sign, beside },
  });
  const order = (first: string, kind: CallKind, second: string, other: CallKind, published: string): FetchFigure => ({
    ...at("h3", calls(kind)),
    over: at("h3", calls(other)),
    ...{ what: `QUIC’s time in ${first} over that in ${second}, ${size}`, published, sign: 1, beside: 1 },
  });
  return [
    ...(["h2", "h1"] as const).map(
      (lane): FetchFigure => ({
        ...{ ...at("h3", cpu), over: at(lane, cpu) },
        what: `the client’s CPU time for ${size}, QUIC over TCP (${lane})`,
        ...{ published: "about 2", sign: 1, beside: 1 },
      }),
    ),
    share("receiving calls", "receive", 0.5, 1, "0.769 (recvmsg)"),
    share("calls that wait", "wait", 0.5, -1, "0.173 (epoll_wait)"),
    share("sending calls", "send", 0.5, -1, "0.048 (sendmsg)"),
    order("receiving calls", "receive", "calls that wait", "wait", "4.4"),
    order("calls that wait", "wait", "sending calls", "send", "3.6"),
  ];
}

export const panda2019Cost: FetchStudy = {
  name: "panda-2019-cost",
  reference:
    "A. Panda: web and video over QUIC, thesis, Technical University of Munich, 2019, CPU use and system calls",
  quick: "panda-2019-cost-quick",
  full: "panda-2019-cost",
  figures: [quick, full].flatMap(figuresAt),
  differs:
    "The thesis measured a client of Google’s QUIC of 2019, which took one packet with each recvmsg. Here quiche’s client takes the packets that have come together with one recvmmsg, and acknowledges each such batch with a sendmsg: receiving takes less of the time, and sending and waiting more, the slower the link the more so. TCP’s packets are joined and acknowledged in the kernel, in part in interrupts that count for nobody: of QUIC all of that is the program’s, which decrypts each packet by itself and acknowledges in user space. The times of system calls are strace’s: CPU time in the kernel, of a fetch of its own, which strace makes slower. Calls are taken by what they do, since programs differ in which they use: receiving (recvmsg, recvmmsg, recvfrom, read), waiting (epoll_wait), sending (sendmsg, sendmmsg, sendto, write).",
};
