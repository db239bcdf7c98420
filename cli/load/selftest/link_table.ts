// The terminal's table of a link's self-test. Pure; no colour.
//
//     10mbit/50ms
//                        asked  measured  tolerance
//       rate down, Mbit/s   10     9.998      0.015  within
import type { SelftestLink, SelftestRow } from "../../../schemas/generated/selftest.ts";
import { textTable } from "../../base/text_table.ts";
import { rowText } from "./format.ts";

const words: Readonly<Record<SelftestRow["outcome"], string>> = { within: "within", out: "OUT", "not-measured": "–" };

/** The table of one link, its name as the first line. */
export function linkLines({ link, rows, measurements }: SelftestLink): string[] {
  const table = rows.map((row) => {
    const { asked, measured, tolerance, unit } = rowText(row);
    const outcome = words[row.outcome];
    return { cells: [`  ${row.quantity} ${row.direction}, ${unit}`, asked, measured, tolerance], outcome };
  });
  const lines = textTable([["", "asked", "measured", "tolerance"], ...table.map(({ cells }) => cells)]);
  const width = Math.max(...lines.map((line) => line.length));
  const [head = "", ...rest] = lines;
  const reasons = new Set(
    rows.flatMap(({ quantity, reason }) => (reason === null ? [] : [`  ${quantity} not measured: ${reason}`])),
  );
  return [
    measurements > 1 ? `${link} (measured ${measurements} times)` : link,
    head,
    ...rest.map((line, index) => `${line.padEnd(width)}  ${table[index]?.outcome ?? ""}`),
    ...reasons,
  ];
}
