// How long trilane-replay takes to find the answer to a request, in recordings of 600 and of 6000 exchanges: the matcher
// alone, without reading the request or sending the answer. Mahimahi, which forks a process that reads every recorded file
// for every request, was measured at 9 ms with 600 (on another day, on the machine this was begun on).
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { checkout } from "../../cli/base/programs.ts";
import { type Bench, measurement } from "./bench.ts";

const bar_us = 5;
/** Looks at each path of the host, where nothing else was found: a request in a hundred. */
const similarPath = /^most similar path/;

interface Measured {
  readonly kind: string;
  readonly exchanges: number;
  readonly open_ns: number;
  /** Mean time of a request in each batch. */
  readonly batch_ns: readonly number[];
}

export const bench: Bench = async (say) => {
  const program = join(checkout, "build", "native", "test", "matcher_bench");
  say("batches of 100 requests for randomly chosen exchanges");
  const { stdout } = await promisify(execFile)(program, { maxBuffer: 1 << 24 });
  const measured = JSON.parse(stdout) as Measured[];
  return measured.flatMap(({ kind, exchanges, open_ns, batch_ns }) => {
    const times_us = batch_ns.map((time_ns) => time_ns / 1e3);
    return [
      measurement(`${exchanges} exchanges: ${kind}`, times_us, similarPath.test(kind) ? null : bar_us, { unit: "us" }),
      ...(kind === "exact" ? [measurement(`${exchanges} exchanges: index made`, [open_ns / 1e6], null)] : []),
    ];
  });
};
