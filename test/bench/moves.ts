// What a NAT that loses its bindings costs: a bulk flow over QUIC and page loads over h3, which go on with the connection that they
// have, and page loads over h2 beside, which need another one. A silence is the server's, from the move until it sends content to the
// new address: the challenge's round trip; the link then brings that in its own time. On a link that is never full (each rebinding
// begins a new window), so that no queue is in it. And a flow whose client moves as often of its own accord: for how long its receiver
// then has nothing, beside that of the flow whose NAT does. `--runs N` of each (default 3), `--link LINK` with rebind. `--only flow`, `--only loads`.
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { longestSilence_ms } from "../../cli/instruments/flows/metrics/rates.ts";
import type { FlowRecords } from "../../cli/instruments/flows/records/flow_records.ts";
import { formatLink, parseLink } from "../../cli/link/link.ts";
import type { PageLoad } from "../../cli/load/load.ts";
import { movesCost } from "../../cli/load/metrics/path_moves.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import type { ReplayConnection } from "../../schemas/generated/replay_report.ts";
import { untimedLoad } from "../e2e/untimed_load.ts";
import { flow, runFlowLab } from "../flows/flow_lab.ts";
import { type MovedSilences, movedSilences } from "../flows/moved_silence.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";

const defaultLink = "20mbit/100ms,rebind=500ms";
const defaultRuns = 3;
const flow_s = 5;
const page = "carlucci-large";
/** So many rebindings are to be survived. */
const least = 3;
const bar_roundTrips = 1.5;

interface Site {
  readonly home: string;
  readonly form: string;
  readonly roundTrip_ms: number;
  readonly runs: number;
  readonly say: (line: string) => void;
}

interface Run extends MovedSilences {
  readonly connections: number;
  /** Changes of the client's address after which content was sent to the new one. */
  readonly survived: number;
}

function rows(name: string, runs: readonly Run[], { roundTrip_ms }: Site): Measurement[] {
  const silences = runs.flatMap(({ silences_ms }) => silences_ms.map((silence_ms) => silence_ms / roundTrip_ms));
  const heldUp = runs.reduce((sum, run) => sum + run.heldUp, 0);
  if (silences.length < least)
    throw new Error(
      `inconclusive: the machine held up ${heldUp} of ${heldUp + silences.length} rebindings: run it on a calmer one`,
    );
  return [
    measurement(
      `${name}: connections`,
      runs.map(({ connections }) => connections),
      1,
      { unit: "connections" },
    ),
    measurement(
      `${name}: rebindings survived`,
      runs.map(({ survived }) => survived),
      least,
      { unit: "times", bar_is: "at least" },
    ),
    measurement(`${name}: silence after each, in round trips`, silences, null, { unit: "ratio" }),
    measurement(`${name}: the longest of them`, [Math.max(...silences)], bar_roundTrips, { unit: "ratio" }),
    measurement(`${name}: rebindings that the machine held up, left out`, [heldUp], null, { unit: "times" }),
  ];
}

async function flowRun({ home, form, roundTrip_ms }: Site): Promise<Run & { readonly silence: number }> {
  const lab = { link: form, flows: [flow("quic:cubic")], for_s: flow_s };
  const { shaper, far, records } = await runFlowLab(
    await mkdtemp(join(home, "flow-")).then((at) => join(at, "run")),
    lab,
  );
  const failed = [...far.flows, ...(records?.near.flows ?? [])].find(({ error }) => error !== null);
  if (failed) throw new Error(`flow ${failed.flow} failed: ${failed.error}`);
  const changes = far.flows[0]?.path_changes ?? [];
  const survived = changes.filter(({ resumed_ns }) => resumed_ns !== null).length;
  // A flow is one connection, and has failed where that did not last.
  const silences = movedSilences({ shaper, changes, roundTrip_ms, end_ns: shaper.end_ns });
  return { ...silences, connections: 1, survived, silence: receiverSilence(records, roundTrip_ms) };
}

/** The longest time in which a flow's receiver had nothing, in round trips. */
function receiverSilence(records: FlowRecords | null, roundTrip_ms: number): number {
  const receiver = records?.samples[0]?.receiver;
  if (!receiver) throw new Error("a lab without records");
  const silence_ms = longestSilence_ms({ time_ms: receiver.time_ms, bytes: receiver.received_bytes });
  if (typeof silence_ms !== "number") throw new Error(silence_ms.missing);
  return silence_ms / roundTrip_ms;
}

type Facts = PageLoad["log"]["_trilane"];
const connectionsOf = ({ replay }: Facts) => (replay?.connections ?? []) as readonly ReplayConnection[];

function h3Run({ log }: PageLoad, roundTrip_ms: number): Run {
  const { status, reasons, shaper, navigation_start_ns, metrics } = log._trilane;
  if (status !== "valid" || !shaper || navigation_start_ns === null || metrics.plt_ms === null)
    throw new Error(`a load over h3 was ${status}: ${reasons.join("; ")}`);
  const connections = connectionsOf(log._trilane);
  const changes = connections[0]?.path_changes ?? [];
  const survived = changes.filter(({ resumed_ns }) => resumed_ns !== null).length;
  const end_ns = navigation_start_ns + metrics.plt_ms * 1e6;
  return { ...movedSilences({ shaper, changes, roundTrip_ms, end_ns }), connections: connections.length, survived };
}

async function loads(site: Site): Promise<Measurement[]> {
  const { home, form, roundTrip_ms, runs, say } = site;
  const recording = await withArchive(home, (archive) => ensureSynth(archive, page));
  const link = parseLink(form);
  const h3: Run[] = [];
  const [whole, reconnections, firstBytes]: [number[], number[], number[]] = [[], [], []];
  for (let run = 0; run < runs; run++) {
    const load = (lane: "h2" | "h3") => untimedLoad({ home, recording, lane, link, timeout_ms: 60_000 });
    h3.push(h3Run(await load("h3"), roundTrip_ms));
    const h2 = await load("h2");
    const cost = movesCost(h2);
    whole.push(h2.log._trilane.status === "valid" ? 1 : 0);
    reconnections.push(cost?.reconnections ?? 0);
    if (typeof cost?.moved_first_byte_ms === "number") firstBytes.push(cost.moved_first_byte_ms / roundTrip_ms);
    say(`h2: ${[h2.log._trilane.status, ...h2.log._trilane.reasons].join("; ")}`);
  }
  return [
    ...rows("h3", h3, site),
    measurement("h2: loads that were whole, of 1", whole, null, { unit: "ratio" }),
    measurement("h2: connections after the first rebinding", reconnections, null, { unit: "connections" }),
    ...(firstBytes.length === 0
      ? []
      : [measurement("h2: until the first byte on one, in round trips", firstBytes, null, { unit: "ratio" })]),
  ];
}

/** A flow whose client moves of its own accord as often as the NAT would; its moves, and its receiver's longest silence in round trips. */
async function ownMoves(site: Site): Promise<{ made: number; silence: number }> {
  const { home, form, roundTrip_ms } = site;
  const { rebind, ...still } = parseLink(form);
  const flows = [flow("quic:cubic", { migrate_ms: rebind?.every_ms ?? 500 })];
  const folder = join(await mkdtemp(join(home, "own-")), "run");
  const { records } = await runFlowLab(folder, { link: formatLink(still), flows, for_s: flow_s });
  return { made: records?.near.flows[0]?.migrations?.made ?? 0, silence: receiverSilence(records, roundTrip_ms) };
}

async function flows(site: Site): Promise<Measurement[]> {
  const runs: Awaited<ReturnType<typeof flowRun>>[] = [];
  const own: Awaited<ReturnType<typeof ownMoves>>[] = [];
  for (let run = 0; run < site.runs; run++) {
    runs.push(await flowRun(site));
    own.push(await ownMoves(site));
  }
  const silencesOf = (of: readonly { readonly silence: number }[]): number[] => of.map(({ silence }) => silence);
  return [
    ...rows("quic:cubic flow", runs, site),
    measurement("the same, its receiver: longest silence, in round trips", silencesOf(runs), null, { unit: "ratio" }),
    measurement(
      "moving of its own accord: moves",
      own.map(({ made }) => made),
      least,
      { unit: "times", bar_is: "at least" },
    ),
    measurement("moving of its own accord, its receiver: longest silence, in round trips", silencesOf(own), null, {
      unit: "ratio",
    }),
  ];
}

export const bench: Bench = async (say, only, { runs, link }) => {
  const form = link ?? defaultLink;
  const { down, up } = parseLink(form);
  const home = tempFolder("trilane-bench-");
  const site = { home, form, roundTrip_ms: down.delay_ms + up.delay_ms, runs: runs ?? defaultRuns, say };
  const parts: Readonly<Record<string, (site: Site) => Promise<Measurement[]>>> = { flow: flows, loads };
  say(`${site.runs} flows of ${flow_s} s, loads of ${page} over h3 and h2, on ${form}`);
  const found: Measurement[] = [];
  for (const [name, part] of Object.entries(parts)) if (only === "" || only === name) found.push(...(await part(site)));
  return found;
};
