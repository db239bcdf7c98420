// A self-test's rows for people: numbers with units. Pure.
import type { SelftestRow } from "../../../schemas/generated/selftest.ts";

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
