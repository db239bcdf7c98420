// Fields of JSON whose form nothing has checked: what is there if it is of the kind that is meant, else null. Pure.

export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A field's text, trimmed; null if it is missing, empty or no text (no text that means anything holds a NUL). */
export function textField(record: JsonRecord, name: string): string | null {
  const value = record[name];
  if (typeof value !== "string" || value.trim() === "" || value.includes("\0")) return null;
  // Half a surrogate pair has no UTF-8.
  return value.trim().toWellFormed();
}

/** A field's number; null if it is missing or no finite number. Some producers write numbers as text. */
export function numberField(record: JsonRecord, name: string): number | null {
  const value = record[name];
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}
