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

/** The members of an object as text, nested ones by their path. */
export function flattened(json: Json, prefix = ""): [string, string][] {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return prefix === "" ? [] : [[prefix, typeof json === "string" ? json : JSON.stringify(json)]];
  }
  return Object.entries(json).flatMap(([key, value]) => flattened(value, prefix === "" ? key : `${prefix} ${key}`));
}
