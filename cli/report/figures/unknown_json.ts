// Reads values out of JSON whose shape another program decides (the reports of replay and shaper inside a page load).

export type Json = unknown;

export function field(json: Json, ...path: readonly string[]): Json {
  let at: Json = json;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

export function numberAt(json: Json, ...path: readonly string[]): number | null {
  const value = field(json, ...path);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
