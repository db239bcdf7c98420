// Runs of flows as CSV: a row for each run and flow. A run that left no result has one row without a
// flow. The columns are documented here, once, for `trilane export --help`; metrics' are those of schemas/flow-result.schema.json.
import type { FlowResult, FlowResultFlow } from "../../../../schemas/generated/flow_result.ts";
import { type DirectionMetric, type FlowMetric, metrics, type PingMetric } from "../../../registry/metrics.ts";
import { columnMaker, csvTable } from "../../../results/export/csv_column.ts";
import { directionOf, type ExportedRun } from "./exported_run.ts";

const column = columnMaker<[run: ExportedRun, flow: FlowResultFlow | null, result: FlowResult | null]>();
const namesOf = <Name extends string>(facts: Readonly<Record<Name, unknown>>): Name[] => Object.keys(facts) as Name[];

const ofRun = [
  column("run_id", "number of the run in the results", ({ run }) => run.id),
  column("mix", "flows that ran together, by name", ({ cell }) => cell.mix),
  column("link", "the emulated link, short form", ({ cell }) => cell.link),
  column("lane", "of the page during the flows; empty: none was loaded", ({ cell }) => cell.lane),
  column(
    "down_bps",
    "rate towards the near end in bit/s; empty: unlimited",
    ({ cell }) => cell.link_profile.down.rate_bps,
  ),
  column("up_bps", "the same from it", ({ cell }) => cell.link_profile.up.rate_bps),
  column("rtt_ms", "minimum round trip of the link", ({ cell }) => cell.link_profile.rtt_ms),
  column(
    "loss_down",
    "share of packets lost towards the near end, as asked",
    ({ cell }) => cell.link_profile.down.loss,
  ),
  column("loss_up", "the same from it", ({ cell }) => cell.link_profile.up.loss),
  column("block", "repetition, from 0; its runs were next to each other", ({ run }) => run.block),
  column("attempt", "try at this run, from 0", ({ run }) => run.attempt),
  column("position", "place in the planned order, from 0", ({ run }) => run.position),
  column("status", "valid, invalid (not what was asked) or failed (no end)", ({ run }) => run.status),
  column("reasons", "why it is not valid; several are joined by |", ({ run }) => run.reasons.join(" | ")),
  column("started_at", "ISO 8601, UTC", ({ run }) => run.started_at),
  column("wall_ms", "the run's whole cost, lab included", ({ run }) => run.wall_ms),
  column("run_ms", "from the near end's start to its end", (_, __, result) => result?.run_ms ?? null),
  column("near_cpu_ms", "CPU time of the near end's program", (_, __, result) => result?.near_cpu_ms ?? null),
  column("far_cpu_ms", "the same of the far end's", (_, __, result) => result?.far_cpu_ms ?? null),
  column("shaper_cpu_ms", "the same of trilane-shaper", (_, __, result) => result?.shaper_cpu_ms ?? null),
];

const ofFlow = [
  column("flow", "number of the flow in the run, from 0", (_, flow) => flow?.flow ?? null),
  column("group", "which --flow of the mix it is of, from 0", (_, flow) => flow?.group ?? null),
  column("transport", "tcp, tls or quic", (_, flow) => flow?.transport ?? null),
  column("congestion", "congestion control that was asked for", (_, flow) => flow?.congestion ?? null),
  column(
    "paced",
    "1: asked to be paced by the kernel (tcp, tls); 0: not; empty: QUIC, paced by its sender as the controller wants",
    (_, flow) => (!flow || flow.transport === "quic" ? null : flow.paced ? 1 : 0),
  ),
  column("congestion_used", "the same as read back from the sender", (_, flow) => flow?.congestion_used ?? null),
  column("direction", "down: towards the near end; up", (_, flow) => flow?.direction ?? null),
  column(
    "size_bytes",
    "how much it was to send; empty: as long as there was time",
    (_, flow) => flow?.size_bytes ?? null,
  ),
  column("state", "ended (by its size), cut (by time), failed, not-started", (_, flow) => flow?.state ?? null),
  column("error", "why it failed", (_, flow) => flow?.error ?? null),
  column("from_ms", "when data could flow, since the run began", (_, flow) => flow?.from_ms ?? null),
  column("to_ms", "when its receiver had ended", (_, flow) => flow?.to_ms ?? null),
];

const ofMetric = (name: FlowMetric) =>
  column(name, metrics.flow[name].meaning, (_, flow) => flow?.metrics[name] ?? null);

/** Of all flows of a flow's direction: the same in each of its rows. */
const ofDirection = (name: DirectionMetric) =>
  column(`link_${name}`, metrics.direction[name].meaning, (_, flow, result) =>
    flow && result ? (directionOf(result, flow.direction)?.metrics[name] ?? null) : null,
  );

const ofPing = (name: PingMetric) =>
  column(name, metrics.ping[name].meaning, (_, __, result) => result?.ping?.metrics[name] ?? null);

/** What `trilane export` writes a sweep of flows as. */
export const flowFormats = ["csv", "series", "json", "flent"] as const;

/** New ones are appended, those of metrics by themselves: readers by place keep working. */
export const flowColumns = [
  ...ofRun,
  ...ofFlow,
  ...namesOf(metrics.flow).map(ofMetric),
  ...namesOf(metrics.direction).map(ofDirection),
  ...namesOf(metrics.ping).map(ofPing),
];

/** Lines with their ends, the header first. */
export const flowCsvLines = (runs: readonly ExportedRun[]): Generator<string> =>
  csvTable(
    flowColumns,
    runs.flatMap((run) => {
      const flows = run.result && run.result.flows.length > 0 ? run.result.flows : [null];
      return flows.map((flow) => [run, flow, run.result] as const);
    }),
  );
