// Whether a flow run was what was planned, and why not: its link and its ends on time, each flow begun, controlled and ended as planned,
// and the ends in agreement with what the shaper counted. Pure; an attempt that left no records is attempt.ts's to judge.
import type { ReportedFlow } from "../../../../schemas/generated/flow_report.ts";
import type { RunFlow } from "../../../../schemas/generated/flow_run.ts";
import { count } from "../../../base/numbers.ts";
import { disturbedRun, disturbedRunReason, type Tolerance, usualTolerance } from "../../../load/disturbance.ts";
import { kindWords } from "../metrics/flow_kind.ts";
import { countsAtLink, type FlowRecords } from "../records/flow_records.ts";
import { standstill_ms } from "./standstill.ts";

/** More reasons than this say nothing that the first ones do not. */
const mostReasons = 5;

/** How long after its time a flow may begin: a turn of the near end's loop, and what a busy one takes. */
const lateStart_ms = 20;

const named = (planned: RunFlow, flow: number): string =>
  `flow ${flow + 1} (${kindWords(planned)}, ${planned.direction})`;

/** The machine's doing: the same run may go well at a quieter moment. */
const disturbed = (why: string): string => `${disturbedRunReason}: ${why}`;

/** By how much the machine held the link up while the run lasted, as page loads are judged. */
function linkReasons({ near, shaper, for_ms }: FlowRecords, tolerance: Tolerance): string[] {
  const window = { start_ns: near.start_ns, end_ns: Math.min(near.end_ns, near.start_ns + for_ms * 1e6) };
  return [disturbedRun(shaper, window, tolerance)].filter((reason) => reason !== null);
}

/** By how much the machine kept the ends from sending and receiving, for which the same holds. */
function endReasons(records: FlowRecords, tolerance: Tolerance): string[] {
  const tolerated_ms = Math.max(tolerance.ms, tolerance.share * records.for_ms);
  return Object.entries(standstill_ms(records)).flatMap(([end, still_ms]) =>
    still_ms <= tolerated_ms
      ? []
      : disturbed(
          `the ${end} end stood still for ${still_ms.toFixed(0)} ms (tolerated: ${tolerated_ms.toFixed(0)} ms): let less run beside it, or wait for a quieter moment`,
        ),
  );
}

interface Ends {
  readonly name: string;
  readonly flow: RunFlow;
  readonly near: ReportedFlow;
  readonly sender: ReportedFlow;
  readonly receiver: ReportedFlow;
}

const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** When a flow is to end at the latest, in ms of the run. */
const plannedEnd_ms = ({ start_ms, duration_ms }: RunFlow, for_ms: number): number =>
  duration_ms === null ? for_ms : Math.min(for_ms, start_ms + duration_ms);

function failureOf({ name, near, sender, receiver }: Ends): string | null {
  for (const { state, error } of [near, sender, receiver])
    if (state === "failed") return `${name} failed: ${error ?? "no reason given"}`;
  if (near.state === "not-started" || near.connect_begin_ns === null) return `${name} never started`;
  if (near.started_ns === null) return `${name} did not connect before it was to end`;
  return null;
}

function lateOf({ name, flow, near }: Ends, { start_ns, for_ms }: FlowRecords, tolerance: Tolerance): string | null {
  const late_ms = ((near.connect_begin_ns ?? 0) - start_ns) / 1e6 - flow.start_ms;
  const tolerated_ms = Math.max(lateStart_ms, tolerance.share * for_ms);
  return late_ms > tolerated_ms ? disturbed(`${name} started ${late_ms.toFixed(0)} ms late`) : null;
}

function endOf({ name, flow, near, receiver }: Ends, records: FlowRecords, tolerance: Tolerance): string | null {
  const { start_ns, for_ms, run } = records;
  const { size_bytes } = flow;
  const end_ms = plannedEnd_ms(flow, for_ms);
  if (size_bytes !== null) {
    if (near.state === "ended" && receiver.received_bytes !== size_bytes)
      return `${name} ended with ${receiver.received_bytes} of ${size_bytes} bytes`;
    // With a duration too, whichever comes first is its end.
    if (near.state !== "ended" && flow.duration_ms === null)
      return `${name} had ${mb(receiver.received_bytes)} of ${mb(size_bytes)} when the run ended: run it for longer`;
  }
  if (near.state === "ended") return null;
  const ended_ms = ((near.ended_ns ?? start_ns) - start_ns) / 1e6;
  const tolerated_ms = Math.max(lateStart_ms, tolerance.share * for_ms, run.sample_ms);
  if (Math.abs(ended_ms - end_ms) <= tolerated_ms) return null;
  const apart = `${name} ended at ${ended_ms.toFixed(0)} ms and not at ${end_ms} ms`;
  return ended_ms > end_ms ? disturbed(apart) : apart;
}

function controllerOf({ name, flow, sender }: Ends): string | null {
  if (flow.paced && sender.congestion !== null && sender.paced !== true) return `${name} was not paced`;
  if (sender.congestion === flow.congestion) return null;
  return `${name} was controlled by ${sender.congestion ?? "what could not be read back"}, and not by ${flow.congestion}`;
}

/** One that was to move and stayed shows what a flow does that was not planned. */
function movesOf({ name, near: { migrations } }: Ends): string | null {
  if (!migrations || migrations.begun === 0 || migrations.made > 0) return null;
  return `${name} never moved: nothing answered at its new address in ${count(migrations.begun, "attempt")}: move less often, or on a link with less delay or loss`;
}

/** Bytes that an application got came over the link, and were sent by the other one. */
function countsOf({ name, flow, sender, receiver }: Ends, index: number, records: FlowRecords): string | null {
  const { counters } = records;
  if (receiver.received_bytes > sender.sent_bytes)
    return `${name} received ${receiver.received_bytes} bytes, and ${sender.sent_bytes} were sent`;
  if (counters.untracked_packets > 0) return null;
  const counted = countsAtLink(records, index, flow.direction);
  if (counted === null) return receiver.received_bytes === 0 ? null : `${name} was not seen at the link`;
  const crossed_bytes = counted.goodput_bytes;
  if (receiver.received_bytes > crossed_bytes)
    return `${name} received ${receiver.received_bytes} bytes, and ${crossed_bytes} crossed the link`;
  return null;
}

function endsOf({ run, near, far }: FlowRecords, index: number): Ends | null {
  const [flow, atNear, atFar] = [run.flows[index], near.flows[index], far.flows[index]];
  if (!flow || !atNear || !atFar) return null;
  const [sender, receiver] = flow.direction === "down" ? [atFar, atNear] : [atNear, atFar];
  return { name: named(flow, index), flow, near: atNear, sender, receiver };
}

/**
 * Of a run that ended with a page's load: whether the flows that had begun by then were controlled as planned, and what their ends say is
 * what the link carried. All else of them is judged with the load (cli/load/cross_traffic.ts).
 */
export function countReasons(records: FlowRecords): string[] {
  return records.run.flows.flatMap((_, index) => {
    const ends = endsOf(records, index);
    if (ends === null || ends.near.state === "failed" || ends.near.started_ns === null) return [];
    return [controllerOf(ends), countsOf(ends, index, records)].filter((reason) => reason !== null);
  });
}

/** Why the run does not count; empty: it does. `tolerance`: of what the machine may have held up, relative to the run's length. */
export function invalidReasons(records: FlowRecords, tolerance: Tolerance = usualTolerance): string[] {
  const { run } = records;
  const reasons = run.flows.flatMap((flow, index): string[] => {
    const ends = endsOf(records, index);
    if (ends === null) return [`${named(flow, index)} is not in the reports`];
    const failure = failureOf(ends);
    if (failure !== null) return [failure];
    const found = [
      lateOf(ends, records, tolerance),
      endOf(ends, records, tolerance),
      controllerOf(ends),
      movesOf(ends),
      countsOf(ends, index, records),
    ];
    return found.filter((reason) => reason !== null);
  });
  const all = [...linkReasons(records, tolerance), ...endReasons(records, tolerance), ...reasons];
  const more = all.length - mostReasons;
  return more > 0 ? [...all.slice(0, mostReasons), `and ${more} more reasons`] : all;
}
