// What was measured of a link against its settings, with the tolerance for each: the self-test's rows. Pure.
//
// A tolerance is what the link may really be off by plus what so few packets cannot tell: a share has its 99.9 % interval,
// a mean of jitter 3.3 of its standard errors, a rate what stamping the first and the last packet may be wrong by.
import type { LinkDirection, LinkProfile } from "../../../schemas/generated/link_profile.ts";
import type { SelftestRow } from "../../../schemas/generated/selftest.ts";
import { mean, median, quantile } from "../../base/quantile.ts";
import { heldUp_ms } from "../disturbance.ts";
import { busyRate, delays_ms, fatesOf, fullQueue, tracePace } from "./arrivals.ts";
import type { LinkRecord, PhaseRecord } from "./measure.ts";
import {
  type Direction,
  directions,
  fillsQueue,
  full_bytes,
  longestQueue_ms,
  queuePackets,
  transmission_ms,
} from "./phases.ts";

/** What the median delay may be off by. */
const delayTolerance_ms = 0.25;
/** What one packet of a hundred may be late by: a wake-up on a machine that does other things, too. */
const lateTolerance_ms = 2;
/** What the rate may be off by. */
const rateTolerance = 0.001;
const stampError_ms = 0.1;
/** Of the normal distribution: 99.9 % lie within. */
const z = 3.29;
/** What the binomial distribution reaches beyond the normal one there, in counts: whole numbers, and (z^2 - 1) / 6 of skew. */
const skew = 2.2;

/** What is this machine's and may be otherwise the next time. */
const tooFast = "this machine could not receive as fast as the link";
const tooSlow = "this machine could not send faster than the link";
/** What a busy machine does to a link is judged load by load (cli/load/disturbance.ts): it is no fault of the link. */
const heldUp = "this machine held up the link";
const noneArrived = "no packet arrived";
export const machineReasons: readonly string[] = [tooFast, tooSlow, heldUp];

type Quantity = SelftestRow["quantity"];

const units: Readonly<Record<Quantity, SelftestRow["unit"]>> = {
  rate: "bit/s",
  delay: "ms",
  lateness: "ms",
  jitter: "ms",
  loss: "share",
  duplicate: "share",
  reorder: "share",
  queue: "packets",
};

interface Measured {
  readonly asked: number;
  readonly measured: number;
  readonly tolerance: number;
  /** Packets that it was measured with. */
  readonly n: number;
}

function row(quantity: Quantity, direction: Direction, { asked, measured, tolerance, n }: Measured): SelftestRow {
  const outcome = Math.abs(measured - asked) <= tolerance ? "within" : "out";
  return { quantity, direction, unit: units[quantity], asked, measured, tolerance, n, outcome, reason: null };
}

function notMeasured(quantity: Quantity, direction: Direction, asked: number | null, reason: string): SelftestRow {
  const nothing = { measured: null, tolerance: null, n: 0, outcome: "not-measured" as const };
  return { quantity, direction, unit: units[quantity], asked, ...nothing, reason };
}

/** The mean distance from the delay, and the median's, in the jitter's own measure; and standard deviations. */
const shapes = {
  uniform: { mean: 0.5, deviation: 0.289, median: 0, medianError: 1 },
  normal: { mean: Math.sqrt(2 / Math.PI), deviation: 0.603, median: 0, medianError: 1.253 },
  // 2 (u^(-1/3) - 1), which is never below 0.
  pareto: { mean: 1, deviation: Math.sqrt(3), median: 2 * (2 ** (1 / 3) - 1), medianError: 0.84 },
} as const;

function drawnJitter({ jitter }: LinkDirection) {
  return jitter && "distribution" in jitter && jitter.ms > 0
    ? { ms: jitter.ms, shape: shapes[jitter.distribution] }
    : null;
}

/** Why delays say nothing of the settings; null: they do. */
function delayObstacle(configured: LinkDirection, phase: PhaseRecord, record: LinkRecord): string | null {
  if (changed(configured.rate_steps, phase, record)) return "the rate changes over time";
  if (changed(configured.delay_steps, phase, record)) return "the delay changes over time";
  if (configured.jitter && "file" in configured.jitter) return "the jitter comes from a file";
  if (configured.trace) return "a packet waits for the trace's next opportunity";
  return null;
}

function delayRows(
  direction: Direction,
  configured: LinkDirection,
  phase: PhaseRecord,
  record: LinkRecord,
): SelftestRow[] {
  const base_ms = configured.delay_ms + transmission_ms(phase.size_bytes, configured.rate_bps);
  const obstacle = delayObstacle(configured, phase, record);
  if (obstacle) return [notMeasured("delay", direction, configured.delay_ms, obstacle)];
  const taken_ms = delays_ms(phase);
  if (taken_ms.length < 10)
    return [notMeasured("delay", direction, base_ms, `only ${taken_ms.length} packets arrived`)];
  const n = taken_ms.length;
  const jitter = drawnJitter(configured);
  const delay = row("delay", direction, {
    asked: base_ms + (jitter ? jitter.ms * jitter.shape.median : 0),
    measured: median(taken_ms),
    tolerance: delayTolerance_ms + (jitter ? (z * jitter.ms * jitter.shape.medianError) / Math.sqrt(n) : 0),
    n,
  });
  if (!jitter) {
    // A packet that is overtaken waits for those that overtake it.
    if (configured.reorder || configured.fec) return [delay];
    const late_ms = quantile(taken_ms, 0.99) - base_ms;
    return [delay, row("lateness", direction, { asked: 0, measured: late_ms, tolerance: lateTolerance_ms, n })];
  }
  const distance_ms = mean(taken_ms.map((each) => Math.abs(each - base_ms)));
  return [
    delay,
    row("jitter", direction, {
      asked: jitter.ms,
      measured: distance_ms / jitter.shape.mean,
      tolerance: delayTolerance_ms + (z * jitter.ms * jitter.shape.deviation) / jitter.shape.mean / Math.sqrt(n),
      n,
    }),
  ];
}

/** A share among n, of chances that may depend on one another so much as if there were n / dependence of them. */
function shareRow(quantity: Quantity, direction: Direction, share: number, count: number, n: number, dependence = 1) {
  const error = Math.sqrt((share * (1 - share) * dependence) / n);
  return row(quantity, direction, {
    asked: share,
    measured: count / n,
    tolerance: z * error + (share > 0 ? (skew * dependence) / n : 0),
    n,
  });
}

function lossRow(
  direction: Direction,
  configured: LinkDirection,
  phase: PhaseRecord,
  sent: number,
  lost: number,
): SelftestRow {
  const { loss, loss_model: model, loss_slot_ms, onoff } = configured;
  if (onoff) return notMeasured("loss", direction, null, "the link is off at times");
  if (configured.fec) return notMeasured("loss", direction, loss, "error correction repairs losses");
  if (model && "file" in model) return notMeasured("loss", direction, null, "the losses come from a file");
  const lasts_ms = (phase.sent_ns.at(-1) ?? 0) / 1e6;
  // Packets of one slot share one decision.
  const perDecision = loss_slot_ms ? Math.max(1, (sent * loss_slot_ms) / Math.max(lasts_ms, loss_slot_ms)) : 1;
  if (model && "every" in model) {
    const tolerance = (perDecision * 1.5) / sent;
    return row("loss", direction, { asked: loss, measured: lost / sent, tolerance, n: sent });
  }
  // Of a chain of two states: neighbours are correlated by 1 - P - R.
  const correlation = model ? 1 - model.good_to_bad - model.bad_to_good : 0;
  const chained = correlation < 1 ? Math.max(1, (1 + correlation) / (1 - correlation)) : sent;
  return shareRow("loss", direction, loss, lost, sent, chained * perDecision);
}

/** Without the last packets that did not come: an outage of a trace keeps them for longer than is waited. */
function withoutEnd(phase: PhaseRecord): PhaseRecord {
  const last = phase.numbers.reduce((latest, number) => Math.max(latest, number), 0);
  return { ...phase, sent_ns: phase.sent_ns.slice(0, last + 1) };
}

function fateRows(direction: Direction, configured: LinkDirection, phase: PhaseRecord): SelftestRow[] {
  if (configured.trace && phase.numbers.length === 0)
    return [notMeasured("loss", direction, configured.loss, "the trace has an outage at its beginning")];
  const { sent, lost, copies, overtaken } = fatesOf(configured.trace ? withoutEnd(phase) : phase);
  const rows = [lossRow(direction, configured, phase, sent, lost)];
  const arrived = Math.max(1, sent - lost);
  if (configured.duplicate !== undefined)
    rows.push(shareRow("duplicate", direction, configured.duplicate, copies, arrived));
  if (configured.reorder && configured.jitter_order === undefined)
    rows.push(
      shareRow("reorder", direction, configured.reorder.share, overtaken, arrived, 1 + configured.reorder.distance),
    );
  return rows;
}

/** The link's rate against its trace's, over the same time. */
function traceRow(
  direction: Direction,
  configured: LinkDirection,
  phase: PhaseRecord,
  record: LinkRecord,
): SelftestRow {
  const times = record.traces[direction];
  const obstacle = otherObstacle(configured) ?? (configured.jitter ? "jitter hides when packets left" : null);
  if (!times || !record.shaper) return notMeasured("rate", direction, configured.rate_bps, "the shaper left no report");
  if (obstacle) return notMeasured("rate", direction, configured.rate_bps, obstacle);
  if (phase.overrun > 0) return notMeasured("rate", direction, configured.rate_bps, tooFast);
  const pace = tracePace(phase, {
    times,
    once: configured.trace?.end === "once",
    delay_ms: configured.delay_ms,
    origin_ms: (record.shaper.start_ns - phase.start_ns) / 1e6,
  });
  if (!pace) return notMeasured("rate", direction, configured.rate_bps, tooSlow);
  const perPacket_bps = (full_bytes * 8 * 1000) / pace.busy_ms;
  return row("rate", direction, {
    asked: pace.offered * perPacket_bps,
    measured: pace.carried * perPacket_bps,
    tolerance: (pace.offered * rateTolerance + pace.atEnds) * perPacket_bps,
    n: pace.carried,
  });
}

/** Whether a schedule's first change came before the phase was over, so that it was no one value. */
function changed(steps: readonly { at_ms: number }[] | undefined, phase: PhaseRecord, record: LinkRecord): boolean {
  if (!steps) return false;
  if (!record.shaper) return true;
  const end_ns = phase.start_ns + Math.max(phase.sent_ns.at(-1) ?? 0, phase.arrived_ns.at(-1) ?? 0);
  return (end_ns - record.shaper.start_ns) / 1e6 >= (steps[1]?.at_ms ?? 0);
}

/** Why a flood says nothing of the rate; null: it does. */
function rateObstacle(configured: LinkDirection, phase: PhaseRecord, record: LinkRecord): string | null {
  if (configured.trace || changed(configured.rate_steps, phase, record)) return "the rate changes over time";
  if (changed(configured.delay_steps, phase, record)) return "the delay changes over time";
  return otherObstacle(configured);
}

function otherObstacle(configured: LinkDirection): string | null {
  if (configured.jitter_order || configured.reorder) return "packets overtake each other";
  if (configured.duplicate) return "packets arrive twice";
  if (configured.fec) return "parity packets take their share";
  if (configured.jitter && ("file" in configured.jitter || configured.jitter.distribution === "pareto"))
    return "now and then a packet holds up those behind it for long";
  return null;
}

function rateRow(direction: Direction, configured: LinkDirection, phase: PhaseRecord, record: LinkRecord): SelftestRow {
  if (configured.trace) return traceRow(direction, configured, phase, record);
  const rate_bps = configured.rate_bps ?? 0;
  const obstacle = rateObstacle(configured, phase, record);
  if (obstacle) return notMeasured("rate", direction, rate_bps, obstacle);
  const jitter_ms = drawnJitter(configured)?.ms ?? 0;
  const lossy = configured.loss > 0 || configured.loss_model !== undefined || configured.onoff !== undefined;
  if (phase.overrun > 0) return notMeasured("rate", direction, rate_bps, tooFast);
  if (phase.numbers.length === 0) return notMeasured("rate", direction, rate_bps, noneArrived);
  const busy = busyRate(phase, { delay_ms: configured.delay_ms + jitter_ms, rate_bps, lossy });
  if (!busy) return notMeasured("rate", direction, rate_bps, tooSlow);
  const error = rateTolerance + (2 * stampError_ms + 4 * jitter_ms) / busy.busy_ms;
  return row("rate", direction, {
    asked: rate_bps,
    measured: busy.rate_bps,
    tolerance: rate_bps * error,
    n: busy.packets,
  });
}

function queueRow(link: LinkProfile, direction: Direction, phase: PhaseRecord, record: LinkRecord): SelftestRow[] {
  const configured = link[direction];
  const packets = queuePackets(link, direction);
  if (packets === null) return [];
  const each_ms = transmission_ms(full_bytes, configured.rate_bps);
  if (!fillsQueue(link, direction)) {
    const seconds = ((packets * each_ms) / 1000).toPrecision(2);
    return [
      notMeasured("queue", direction, packets, `filling it takes ${seconds} s, more than ${longestQueue_ms / 1000} s`),
    ];
  }
  const obstacle =
    rateObstacle(configured, phase, record) ??
    (configured.aqm ? "the discipline keeps it shorter" : null) ??
    (configured.jitter ? "jitter hides how long packets waited" : null) ??
    (configured.onoff ? "the link is off at times" : null);
  if (obstacle) return [notMeasured("queue", direction, packets, obstacle)];
  if (phase.overrun > 0) return [notMeasured("queue", direction, packets, tooFast)];
  if (phase.numbers.length === 0) return [notMeasured("queue", direction, packets, noneArrived)];
  const tolerance = 1 + delayTolerance_ms / each_ms;
  const measured = fullQueue(phase, {
    burst: Math.ceil(packets * 1.1) + 10,
    delay_ms: configured.delay_ms,
    each_ms,
    steadiness: 2 * tolerance,
  });
  if (measured === null) return [notMeasured("queue", direction, packets, tooSlow)];
  return [row("queue", direction, { asked: packets, measured, tolerance, n: phase.numbers.length })];
}

/** A row that is out by no more time than the machine held up the link in this phase is not measured. */
function unlessHeldUp(row: SelftestRow, phase: PhaseRecord, record: LinkRecord): SelftestRow {
  const { quantity, direction, asked, measured, outcome } = row;
  const overdue = record.shaper?.overdue;
  if (outcome !== "out" || asked === null || measured === null || !overdue) return row;
  const lasted_ns = Math.max(phase.sent_ns.at(-1) ?? 0, phase.arrived_ns.at(-1) ?? 0);
  const off_ms = {
    rate: Math.abs(measured / asked - 1) * (lasted_ns / 1e6),
    lateness: measured,
  }[quantity as string];
  const { start_ns } = phase;
  return off_ms !== undefined && heldUp_ms(overdue, { start_ns, end_ns: start_ns + lasted_ns }) >= off_ms
    ? notMeasured(quantity, direction, asked, heldUp)
    : row;
}

/** The rows of one link, both directions side by side. */
export function judge(link: LinkProfile, record: LinkRecord): SelftestRow[] {
  const rows = directions.flatMap((direction) => {
    const configured = link[direction];
    return record.phases
      .filter((phase) => phase.direction === direction)
      .flatMap((phase) => {
        const measured =
          phase.kind === "steady"
            ? [...delayRows(direction, configured, phase, record), ...fateRows(direction, configured, phase)]
            : [rateRow(direction, configured, phase, record), ...queueRow(link, direction, phase, record)];
        return measured.map((each) => unlessHeldUp(each, phase, record));
      });
  });
  const order = Object.keys(units);
  return rows.toSorted((a, b) => order.indexOf(a.quantity) - order.indexOf(b.quantity));
}
