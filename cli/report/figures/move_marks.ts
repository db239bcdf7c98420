// When a link's path moved, for figures over time: where the lines stand, and in words. Pure.
import { coordinate } from "../../../extension/figures/markup.ts";
import type { ShaperReport } from "../../../schemas/generated/shaper_report.ts";
import { formatTime } from "../../base/numbers.ts";

export interface MoveMark {
  readonly at_ms: number;
  readonly kind: NonNullable<ShaperReport["moves"]>["list"][number]["kind"];
}

/** Within 0 to `end_ms` from `zero_ns` on. */
export function moveMarks({ moves }: Pick<ShaperReport, "moves">, zero_ns: number, end_ms: number): MoveMark[] {
  return (moves?.list ?? [])
    .map(({ at_ns, kind }) => ({ at_ms: (at_ns - zero_ns) / 1e6, kind }))
    .filter(({ at_ms }) => at_ms >= 0 && at_ms <= end_ms);
}

/** A line from top to bottom for each. */
export function moveLines(
  marks: readonly MoveMark[],
  x: (time_ms: number) => number,
  top: number,
  bottom: number,
): string {
  return marks.map(({ at_ms }) => `M${coordinate(x(at_ms))} ${coordinate(top)}V${coordinate(bottom)}`).join("");
}

/** Beyond so many they are only counted. */
const mostTimes = 3;

/** `new ports at 1200 ms, 2200 ms`, `12 changes of address`, `another link at 3000 ms`: each kind that happened. */
export function moveWords(marks: readonly MoveMark[]): string[] {
  const kinds = [
    ["port", "new ports", "changes of ports"],
    ["address", "new address", "changes of address"],
    ["switch", "another link", "switches"],
  ] as const;
  return kinds.flatMap(([kind, once, many]) => {
    const of = marks.filter((mark) => mark.kind === kind);
    if (of.length === 0) return [];
    if (of.length > mostTimes) return [`${of.length} ${many}`];
    return [`${once} at ${of.map(({ at_ms }) => formatTime(at_ms)).join(", ")}`];
  });
}
