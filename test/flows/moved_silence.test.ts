// Silences after moves, of made reports.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PathChanges } from "../../schemas/generated/path_changes.ts";
import type { ShaperReport } from "../../schemas/generated/shaper_report.ts";
import { movedSilences } from "./moved_silence.ts";

const ms = (time: number): number => 1e9 + time * 1e6;

interface Made {
  readonly moves_ms: readonly number[];
  /** [seen, resumed] */
  readonly changes_ms: readonly (readonly [number, number | null])[];
  readonly idle_ms?: readonly (readonly [number, number])[];
  readonly overdue_ms?: readonly (readonly [number, number])[];
}

/** Delivers 1500 bytes each 10 ms for 4 s, but for `idle_ms`; the round trip is 100 ms. */
function silences({ moves_ms, changes_ms, idle_ms = [], overdue_ms = [] }: Made) {
  const isIdle = (time: number): boolean => idle_ms.some(([from, to]) => time >= from && time < to);
  const bytes_out = Array.from({ length: 400 }, (_, i) => (isIdle(i * 10) ? 0 : 1500));
  const shaper = {
    moves: { list: moves_ms.map((at) => ({ at_ns: ms(at), kind: "port" })) },
    timeline: { start_ns: ms(0), bin_ns: 10e6, down: { bytes_out } },
    overdue: { intervals: overdue_ms.map(([from, to]) => [ms(from), ms(to)]) },
  } as unknown as ShaperReport;
  const changes = changes_ms.map(([seen, resumed]) => ({
    seen_ns: ms(seen),
    resumed_ns: resumed === null ? null : ms(resumed),
  })) as unknown as PathChanges;
  return movedSilences({ shaper, changes, roundTrip_ms: 100, end_ns: ms(4000) });
}

test("a silence lasts from the move until content leaves for the new address", () => {
  const made = { moves_ms: [1000, 2000], changes_ms: [[1002, 1105] as const, [2003, 2110] as const] };
  assert.deepEqual(silences(made), { silences_ms: [105, 110], heldUp: 0 });
});

test("where nothing followed, or nobody saw the move, it lasts until the next one at least", () => {
  const made = { moves_ms: [1000, 1500, 2000], changes_ms: [[1002, null] as const, [2003, 2110] as const] };
  assert.deepEqual(silences(made).silences_ms, [500, 500, 110]);
});

test("moves while nothing was sent, after the end, and the last one, if there was nothing left, stopped nothing", () => {
  const idle = { moves_ms: [1000], changes_ms: [[1002, 1400] as const], idle_ms: [[800, 1000] as const] };
  assert.deepEqual(silences(idle).silences_ms, []);
  assert.deepEqual(silences({ moves_ms: [3900, 4100], changes_ms: [[3901, null]] }).silences_ms, []);
});

test("what the machine held up is counted apart", () => {
  const made = { moves_ms: [1000], changes_ms: [[1002, 1150] as const] };
  assert.deepEqual(silences({ ...made, overdue_ms: [[1010, 1060]] }), { silences_ms: [], heldUp: 1 });
  assert.deepEqual(silences({ ...made, overdue_ms: [[1010, 1015]] }), { silences_ms: [150], heldUp: 0 });
  assert.deepEqual(silences({ ...made, overdue_ms: [[900, 990]] }).silences_ms, [150]);
});
