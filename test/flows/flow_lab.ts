// Bulk flows over a link, as `trilane flows` runs them but without a plan or a database: one lab for each run, its records, and whether
// the machine held it up. Judges nothing.
import { spawn, spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { programPath } from "../../cli/base/programs.ts";
import type { FlowRecords } from "../../cli/instruments/flows/records/flow_records.ts";
import { readFlowRecords } from "../../cli/instruments/flows/records/read_flow_records.ts";
import type { FlowReport } from "../../schemas/generated/flow_report.ts";
import type { FlowRun, RunFlow } from "../../schemas/generated/flow_run.ts";
import type { ShaperReport } from "../../schemas/generated/shaper_report.ts";

/** `tcp:reno`, `quic:cubic-n2`: downwards, from the beginning to the end. */
export function flow(words: string, more: Partial<RunFlow> = {}): RunFlow {
  const [transport, congestion = ""] = words.split(":");
  return {
    transport: transport as RunFlow["transport"],
    congestion,
    direction: "down",
    start_ms: 0,
    duration_ms: null,
    size_bytes: null,
    ...more,
  };
}

export interface FlowLab {
  readonly link: string;
  readonly flows: readonly RunFlow[];
  readonly for_s: number;
  readonly sample_ms?: number;
  /** In place of trilane-flows at the near end: the far end's flows have another program as their client. */
  readonly client?: readonly string[];
}

export interface LabRun {
  readonly printed: string;
  readonly shaper: ShaperReport;
  readonly far: FlowReport;
  /** null: another program was the client. */
  readonly records: FlowRecords | null;
}

/** Runs a program to its end. Error if it fails, with what it said. */
export async function output(command: readonly string[]): Promise<string> {
  const [program = "", ...words] = command;
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  let said = "";
  child.stdout.on("data", (chunk) => {
    printed += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    said += String(chunk);
  });
  const status = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (status !== 0) throw new Error(`${command.join(" ")} ended with ${status}: ${said}${printed}`);
  return printed;
}

/** Whether both ends can send with that transport and controller in this build, on this kernel. */
export async function hasController(folder: string, words: string): Promise<boolean> {
  const file = `${folder}.json`;
  const run = { schema: "trilane/flow-run/1", for_ms: 1, sample_ms: 1, ping_ms: null, flows: [flow(words)] };
  await writeFile(file, JSON.stringify(run));
  const { status, stderr } = spawnSync(programPath("trilane-flows"), ["far", file, "--", "true"], { encoding: "utf8" });
  if (status !== 0 && !stderr.includes("congestion control")) throw new Error(`trilane-flows: ${stderr}`);
  return status === 0;
}

/** `folder` is the run's own: made here, and removed by whoever owns what it is in. */
export async function runFlowLab(folder: string, lab: FlowLab): Promise<LabRun> {
  const { link, for_s, sample_ms = 5, client } = lab;
  const flows = lab.flows as FlowRun["flows"];
  await mkdir(folder);
  const file = (name: string): string => join(folder, name);
  const run: FlowRun = { schema: "trilane/flow-run/1", for_ms: for_s * 1000, sample_ms, ping_ms: null, flows };
  await writeFile(file("run.json"), JSON.stringify(run));
  const ends = programPath("trilane-flows");
  const end = (name: string): string[] => [
    ends,
    name,
    file("run.json"),
    "--report",
    file(`${name}.json`),
    "--samples",
    file(`${name}.records`),
  ];
  const shaper = [
    programPath("trilane-shaper"),
    "--keep-capabilities",
    "--link",
    link,
    "--report",
    file("shaper.json"),
  ];
  const evidence = ["--flow-counters", file("counters.json"), "--flow-bins", file("bins.records")];
  const printed = await output([...end("far"), "--", ...shaper, ...evidence, "--", ...(client ?? end("near"))]);
  const read = async <Document>(name: string): Promise<Document> => JSON.parse(await readFile(file(name), "utf8"));
  const far = await read<FlowReport>("far.json");
  const shaperReport = await read<ShaperReport>("shaper.json");
  if (client) return { printed, shaper: shaperReport, far, records: null };
  const { records, missing } = await readFlowRecords(run, {
    near: file("near.json"),
    far: file("far.json"),
    nearSamples: file("near.records"),
    farSamples: file("far.records"),
    bins: file("bins.records"),
    counters: file("counters.json"),
    shaper: file("shaper.json"),
  });
  if (!records) throw new Error(`a run of flows left no ${missing.join(", ")}`);
  return { printed, shaper: shaperReport, far, records };
}

/** Share of the run in which the machine held it up at its link. */
export function overdueShare({ overdue, start_ns, end_ns }: ShaperReport): number {
  return (overdue?.total_ns ?? 0) / (end_ns - start_ns);
}
