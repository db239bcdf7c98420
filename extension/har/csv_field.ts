// One field of CSV (RFC 4180). Pure.

/**
 * One field. Text that a spreadsheet would run as a formula gets an apostrophe before it; any but plain words is quoted, because some
 * take semicolons and tabs for commas and would find a formula behind one.
 */
export function csvField(value: string | number | boolean | null): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return !/^[\w./: '-]*$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
