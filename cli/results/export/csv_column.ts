// A table as CSV (RFC 4180, UTF-8, one header line): its columns, each with the meaning that `trilane export --help` prints, and its lines.
import { csvField } from "../../../extension/har/csv_field.ts";

export type CsvValue = string | number | boolean | null;

/** `Row`: what a row's values are taken from. */
export interface CsvColumn<Row extends readonly unknown[]> {
  readonly name: string;
  readonly meaning: string;
  readonly value: (...row: Row) => CsvValue;
}

/** Makes columns of one table. */
export const columnMaker =
  <Row extends readonly unknown[]>() =>
  (name: string, meaning: string, value: CsvColumn<Row>["value"]): CsvColumn<Row> => ({ name, meaning, value });

export const csvLine = (values: readonly CsvValue[]): string => `${values.map(csvField).join(",")}\r\n`;

/** Lines with their ends, the header first. */
export function* csvTable<Row extends readonly unknown[]>(
  columns: readonly CsvColumn<Row>[],
  rows: Iterable<Row>,
): Generator<string> {
  yield csvLine(columns.map(({ name }) => name));
  for (const row of rows) yield csvLine(columns.map(({ value }) => value(...row)));
}
