// Bulk flows that share the link with a load: their instructions, when the page may begin among them, and what became of them.
// trilane-flows sends them (lab.ts has where it stands).

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { FlowReport } from "../../schemas/generated/flow_report.ts";
import type { FlowRun } from "../../schemas/generated/flow_run.ts";
import type { LoadCrossTraffic } from "../../schemas/generated/page_load.ts";
import type { PlanCrossTraffic, SweepPlan } from "../../schemas/generated/sweep_plan.ts";
import { type FlowFiles, runFlow } from "../link/flows/flow_run.ts";
import { formatFlow } from "../link/flows/flow_words.ts";
import { mixWords, readMix } from "../link/flows/mix.ts";
import type { LabFlows } from "./lab.ts";
import { readFlowReport } from "./reports.ts";
import type { Ended, LoadStep } from "./step.ts";

// How a report says that loads shared their link with bulk flows.

/** `tcp:bbr + 4*quic:cubic@2s,up, from 5 s before each page until its load ended`. */
export function trafficWords({ flows, page_start_s = 5 }: PlanCrossTraffic): string {
  return `${mixWords(readMix(flows, null))}, from ${page_start_s} s before each page until its load has ended`;
}

/** Null for a plan whose loads had their link for themselves. */
export function trafficSentence({ cross_traffic }: Pick<SweepPlan, "cross_traffic">): string | null {
  return cross_traffic ? `Every load shared its link with cross traffic: ${trafficWords(cross_traffic)}.` : null;
}

export interface CrossTraffic {
  readonly run: FlowRun;
  /** As a plan has them: a flow that stands for several once. */
  readonly words: readonly string[];
  /** When the page's navigation begins, from the flows' time 0. */
  readonly pageStart_ms: number;
  /** Reads the flows' samples, and what the shaper counted of each, before they go with the load's folder. Default: none are kept. */
  readonly read?: (files: FlowFiles) => Promise<void>;
  /** With `read`: looks at these files while they are written, until it is closed. */
  readonly watch?: (files: FlowFiles) => { close(): Promise<void> };
}

/** Of one load, while it runs. */
export interface RunningTraffic extends CrossTraffic {
  readonly files: LabFlows;
  /** What the shaper is to write of each flow; null: nothing. */
  readonly counted: Pick<FlowFiles, "bins" | "counters"> | null;
}

/** Where a load's files are. */
interface TrafficFolders {
  /** The load's own, which goes with it. */
  readonly scratch: string;
  /** Of its evidence, in which the shaper writes counters then; null: none is kept. */
  readonly evidence: { readonly counters: string; readonly qlogs: string } | null;
}

/** Writes the instructions for both ends of the flows. */
export async function prepareTraffic(
  traffic: CrossTraffic,
  { scratch, evidence }: TrafficFolders,
): Promise<RunningTraffic> {
  const place = (name: string): string => join(scratch, name);
  const isSampled = traffic.read !== undefined || evidence !== null;
  const end = (name: string) => ({
    report: place(`flows-${name}.json`),
    samples: isSampled ? place(`flows-${name}.samples`) : null,
  });
  const run = place("flow-run.json");
  await writeFile(run, JSON.stringify(traffic.run));
  const begun = place("flows-begun.json");
  const files = { run, near: end("near"), far: end("far"), begun, qlogs: evidence?.qlogs ?? null };
  const counters = evidence?.counters ?? place("flow-counters.json");
  return { ...traffic, files, counted: traffic.read ? { bins: place("flow-bins"), counters } : null };
}

/** Further options of trilane-shaper. `hasCounters`: it writes these already. */
export function countingArguments({ counted }: RunningTraffic, hasCounters: boolean): string[] {
  if (counted === null) return [];
  return [...(hasCounters ? [] : ["--flow-counters", counted.counters]), "--flow-bins", counted.bins];
}

/** null: none are kept. */
function flowFiles({ files: { near, far }, counted }: RunningTraffic, shaper: string): FlowFiles | null {
  if (counted === null || near.samples === null || far.samples === null) return null;
  const ends = { near: near.report, far: far.report, nearSamples: near.samples, farSamples: far.samples };
  return { ...ends, ...counted, shaper };
}

/** Gives the samples to whom they are for. */
export async function giveSamples(traffic: RunningTraffic, shaper: string): Promise<void> {
  const files = flowFiles(traffic, shaper);
  if (files) await traffic.read?.(files);
}

/** To be closed when the load has ended; null: no one looks. */
export function watchTraffic(traffic: RunningTraffic, shaper: string): { close(): Promise<void> } | null {
  const files = flowFiles(traffic, shaper);
  return (files && traffic.watch?.(files)) ?? null;
}

const poll_ms = 5;

/** The flows' time 0 on CLOCK_MONOTONIC, as the near end wrote it; null: it has not yet. */
async function begunAt_ns(path: string): Promise<number | null> {
  try {
    const { start_ns } = JSON.parse(await readFile(path, "utf8")) as { start_ns: number };
    return start_ns;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Resolves when the page is to begin: at once, if that is over. Never without a near end that begins: its caller has a limit. */
export async function untilPageStart({ files, pageStart_ms }: RunningTraffic, signal: AbortSignal): Promise<void> {
  let start_ns: number | null = null;
  while (files.begun !== null && start_ns === null) {
    start_ns = await begunAt_ns(files.begun);
    if (start_ns === null) await delay(poll_ms, undefined, { signal });
  }
  if (start_ns === null) return;
  const begun_ns = start_ns;
  const left_ms = (): number => pageStart_ms - (Number(process.hrtime.bigint()) - begun_ns) / 1e6;
  // Again if it was early: a timer counts whole milliseconds from when the event loop last looked at the clock.
  while (left_ms() > 0) await delay(Math.ceil(left_ms()), undefined, { signal });
}

/** How late the browser may be for the page's start: a command's way through its pipe takes a few ms of this. */
const latest_ms = 250;

/** What the flows' two ends reported, read before the load's folder goes. */
export interface TrafficReports {
  readonly near: FlowReport | null;
  readonly far: FlowReport | null;
}

export async function readTraffic({ files }: RunningTraffic): Promise<TrafficReports> {
  const [near, far] = await Promise.all([readFlowReport(files.near.report), readFlowReport(files.far.report)]);
  return { near, far };
}

type LoadTimes = Pick<Ended, "navigation_ns" | "loadEnd_ns">;

const seconds = (time_ms: number): number => Math.round(time_ms) / 1000;

/** What a page load says of the flows beside it. */
export function trafficFacts(traffic: CrossTraffic, { near, far }: TrafficReports, times: LoadTimes): LoadCrossTraffic {
  const { navigation_ns } = times;
  const received = traffic.run.flows.map(({ direction }, flow) => {
    const receiver = direction === "down" ? near : far;
    return receiver?.flows[flow]?.received_bytes ?? null;
  });
  return {
    flows: [...traffic.words] as LoadCrossTraffic["flows"],
    page_start_s: traffic.pageStart_ms / 1000,
    navigation_s: near === null || navigation_ns === null ? null : seconds((navigation_ns - near.start_ns) / 1e6),
    received_bytes: received,
  };
}

/** Why the load was not during the planned flows; empty: it was. */
export function trafficReasons(traffic: CrossTraffic, { near, far }: TrafficReports, times: LoadTimes): string[] {
  if (near === null || far === null)
    return [`trilane-flows left no report of its ${near === null ? "near" : "far"} end`];
  const { navigation_ns, loadEnd_ns } = times;
  const late_ms = navigation_ns === null ? 0 : (navigation_ns - near.start_ns) / 1e6 - traffic.pageStart_ms;
  const faults = traffic.run.flows.flatMap((flow, index) => {
    const ends = [near.flows[index], far.flows[index]];
    const failed = ends.find((end) => end?.state === "failed");
    if (failed)
      return [`cross traffic: ${formatFlow(runFlow(flow))} failed: ${failed.error ?? "for no reason that it knows"}`];
    // Those that were to start later than the load ended had no chance.
    const isDue = loadEnd_ns !== null && near.start_ns + flow.start_ms * 1e6 < loadEnd_ns;
    if (isDue && near.flows[index]?.state === "not-started")
      return [`cross traffic: ${formatFlow(runFlow(flow))} never started`];
    return [];
  });
  const [first] = faults;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
  return [
    ...(first === undefined ? [] : [`${first}${more}`]),
    ...(late_ms > latest_ms
      ? [
          `cross traffic: the page began ${seconds(late_ms)} s after its time, ${traffic.pageStart_ms / 1000} s: the browser was not ready`,
        ]
      : []),
  ];
}

/** More than trilane-flows takes to begin. */
const startTimeout_ms = 40_000;

export function trafficStep(traffic: CrossTraffic): LoadStep {
  let running: RunningTraffic | null = null;
  let shaper = "";
  let reports: TrafficReports = { near: null, far: null };
  return {
    async prepare(folders) {
      running = await prepareTraffic(traffic, folders);
      ({ shaper } = folders);
      const { run, near, far } = running.files;
      const kept = [run, ...[near, far].flatMap(({ report, samples }) => [report, samples ?? []].flat())];
      return { shaperOptions: countingArguments(running, folders.evidence !== null), flows: running.files, kept };
    },
    watch: () => running && watchTraffic(running, shaper),
    async opened({ limit, signal }) {
      limit(traffic.pageStart_ms + startTimeout_ms, "the cross traffic did not begin");
      if (running) await untilPageStart(running, signal);
    },
    async gone() {
      if (!running) return;
      await giveSamples(running, shaper);
      reports = await readTraffic(running);
    },
    says: (ended) => ({
      facts: { cross_traffic: trafficFacts(traffic, reports, ended) },
      reasons: trafficReasons(traffic, reports, ended),
    }),
  };
}
