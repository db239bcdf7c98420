// A self-test's rows for people: numbers with units, and the terminal's table. Pure; no colour.
import type { SelftestLink, SelftestRow } from "../../../schemas/generated/selftest.ts";
import { textTable } from "../../base/text_table.ts";

/** What a load is left out for whose link is not what was planned, before what is out. */
export const linkIsOut = "the link's self-test is out of tolerance";

/** Decimals by which the tolerance shows. */
function decimalsFor(tolerance: number): number {
  return tolerance <= 0 ? 2 : Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(tolerance))));
}

const scales: Readonly<Record<SelftestRow["unit"], { factor: number; unit: string }>> = {
  "bit/s": { factor: 1e-6, unit: "Mbit/s" },
  ms: { factor: 1, unit: "ms" },
  share: { factor: 100, unit: "%" },
  packets: { factor: 1, unit: "packets" },
};

interface RowText {
  readonly asked: string;
  readonly measured: string;
  readonly tolerance: string;
  readonly unit: string;
}

export function rowText({ unit, asked, measured, tolerance }: SelftestRow): RowText {
  const scale = scales[unit];
  const decimals = decimalsFor((tolerance ?? 0) * scale.factor);
  const plain = (value: number | null): string =>
    value === null ? "–" : String(Number((value * scale.factor).toPrecision(6)));
  return {
    asked: plain(asked),
    measured: measured === null ? "–" : (measured * scale.factor).toFixed(decimals),
    tolerance: tolerance === null ? "–" : String(Number((tolerance * scale.factor).toPrecision(2))),
    unit: scale.unit,
  };
}

/** `rate down 9.1 Mbit/s, asked 10 within 0.015`. */
export function formatRow(row: SelftestRow): string {
  const { asked, measured, tolerance, unit } = rowText(row);
  return `${row.quantity} ${row.direction} ${measured} ${unit}, asked ${asked} within ${tolerance}`;
}

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
