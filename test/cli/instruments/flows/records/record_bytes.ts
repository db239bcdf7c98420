// Record files as trilane-flows and trilane-shaper write them, made of numbers: for tests of what reads them.
import { recordsSchema } from "../../../../../cli/base/record_file.ts";

const unavailable = 2n ** 64n - 1n;

/** null is unavailable. */
export function recordBytes(
  columns: readonly string[],
  rows: readonly (readonly (number | bigint | null)[])[],
): Buffer {
  const header = Buffer.from(`${JSON.stringify({ schema: recordsSchema, columns })}\n`);
  const body = Buffer.alloc(rows.length * columns.length * 8);
  for (const [row, values] of rows.entries())
    for (const [column, value] of values.entries())
      body.writeBigUInt64LE(value === null ? unavailable : BigInt(value), (row * columns.length + column) * 8);
  return Buffer.concat([header, body]);
}
