import { join } from "node:path";
import type { FlowRecords } from "../../cli/instruments/flows/records/flow_records.ts";
import { type FlowLab, flow, runFlowLab } from "../flows/flow_lab.ts";
import { goodput_bps } from "../flows/flow_measures.ts";
import { iperf3Goodput_bps, ngtcp2Goodput_bps } from "../flows/flow_oracles.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";

const usualRuns = 3;
const unlimited = "unlimited/0ms";
const [seconds, skipped_s] = [6, 1];
/** Takes some seconds, too. */
const downloadBytes = 400e6;

interface Site {
  readonly runs: number;
  readonly say: (line: string) => void;
  readonly folder: () => string;
}

async function recordsOf(site: Site, lab: FlowLab): Promise<FlowRecords> {
  const { records } = await runFlowLab(site.folder(), lab);
  if (!records) throw new Error("a lab without records");
  const failed = [...records.near.flows, ...records.far.flows].find(({ error }) => error !== null);
  if (failed) throw new Error(`flow ${failed.flow} failed: ${failed.error}`);
  return records;
}

/** CPU of both ends, per second of the run, in per cent of a core. */
function cpuShare({ near, far }: FlowRecords): number {
  return ((near.cpu_ms + far.cpu_ms) / ((near.end_ns - near.start_ns) / 1e6)) * 100;
}

/** CPU time for 8 Gbit of goodput, of both ends, as each flow has it. */
function cpu_msPerGB({ near, far }: FlowRecords, place: number): number {
  const [own, other] = [near.flows[place], far.flows[place]];
  return ((own?.cpu_ms ?? Number.NaN) + (other?.cpu_ms ?? Number.NaN)) / ((own?.received_bytes ?? Number.NaN) / 1e9);
}

/** Ours and the other tool's by turns, so that what else the machine does meets both. */
async function against(
  site: Site,
  words: string,
  name: string,
  least_Gbps: number,
  other: () => Promise<number>,
): Promise<Measurement[]> {
  const [own, theirs, cpu]: [number[], number[], number[]] = [[], [], []];
  for (let run = 0; run < site.runs; run++) {
    const records = await recordsOf(site, { link: unlimited, flows: [flow(words)], for_s: seconds });
    own.push(goodput_bps(records, 0, { from_ms: skipped_s * 1000, to_ms: seconds * 1000 }) / 1e9);
    cpu.push(cpu_msPerGB(records, 0));
    theirs.push((await other()) / 1e9);
    site.say(`${words}: ${own.at(-1)?.toFixed(3)} Gbit/s, ${name} ${theirs.at(-1)?.toFixed(3)}`);
  }
  const ratios = own.map((rate, run) => rate / (theirs[run] as number));
  return [
    measurement(`${words}, unlimited link`, own, least_Gbps, { unit: "Gbit/s", bar_is: "at least" }),
    measurement(`${words} over ${name}`, ratios, 0.9, { unit: "ratio", bar_is: "at least" }),
    measurement(`${words}: CPU of both ends for 1 GB`, cpu, null),
  ];
}

async function rates(site: Site): Promise<Measurement[]> {
  const download = async (): Promise<number> => await ngtcp2Goodput_bps(site.folder(), unlimited, downloadBytes);
  return [
    ...(await against(site, "tcp:cubic", "iperf3", 2, () =>
      iperf3Goodput_bps(unlimited, "cubic", { seconds, skipped_s }),
    )),
    ...(await against(site, "quic:cubic", "ngtcp2", 0.8, download)),
  ];
}

const flowsAtOnce = 100;

/** A run's CPU with samples every 5 ms beyond that of one with hardly any, over a link so slow that the flows themselves take little. */
async function sampling(site: Site): Promise<Measurement[]> {
  const found: Measurement[] = [];
  for (const words of ["tcp:cubic", "quic:cubic"]) {
    const extra: number[] = [];
    for (let run = 0; run < site.runs; run++) {
      const flows = Array.from({ length: flowsAtOnce }, () => flow(words));
      const share = async (sample_ms: number): Promise<number> =>
        cpuShare(await recordsOf(site, { link: "20mbit/50ms", flows, for_s: 15, sample_ms }));
      const [often, hardly] = [await share(5), await share(5000)];
      site.say(
        `${flowsAtOnce} of ${words}: ${often.toFixed(2)} % of a core with samples every 5 ms, ${hardly.toFixed(2)} % every 5 s`,
      );
      extra.push(often - hardly);
    }
    found.push(measurement(`sampling ${flowsAtOnce} of ${words} every 5 ms, of a core`, extra, 3, { unit: "%" }));
  }
  return found;
}

const parts: Readonly<Record<string, (site: Site) => Promise<Measurement[]>>> = { rates, sampling };

export const bench: Bench = async (say, only, { runs }) => {
  const folder = tempFolder("trilane-bench-");
  let made = 0;
  const site: Site = { runs: runs ?? usualRuns, say, folder: () => join(folder, String(made++)) };
  const found: Measurement[] = [];
  for (const name of only ? [only] : Object.keys(parts)) {
    const part = parts[name];
    if (!part) throw new Error(`no part ${name}: use ${Object.keys(parts).join(", ")}`);
    found.push(...(await part(site)));
  }
  return found;
};
