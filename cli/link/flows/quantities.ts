// Times and sizes as `--flow` writes them: 30s, 500ms, 2min; 8MB, 1500B. Pure; says what is wrong with a word, not where it stands.

/** A value, or why there is none. */
export type Read = { readonly value: number } | { readonly fault: string };

const times_ms: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000 };
const sizes_bytes: Readonly<Record<string, number>> = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

const listed = (units: Readonly<Record<string, number>>): string => Object.keys(units).join(", ");

/** 0.3 s is 300 ms, and not 299.99999999999994. */
const exact = (value: number): number => Number(value.toPrecision(12));

function read(word: string, units: Readonly<Record<string, number>>, example: string): Read {
  const [, number = "", unit = ""] = /^(-?\d+(?:\.\d+)?|-?\.\d+)([A-Za-z]*)$/.exec(word) ?? [];
  if (number === "") return { fault: `write a number with its unit, as ${example}` };
  const size = Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (size === undefined)
    return { fault: `${unit === "" ? "has no unit" : "has an unknown unit"}: use ${listed(units)}` };
  return { value: exact(Number(number) * size) };
}

/** In ms; whole ones, as runs are told them. May be negative. */
export function readTime_ms(word: string): Read {
  const time = read(word, times_ms, "5s");
  if ("value" in time && !Number.isInteger(time.value)) return { fault: "is no whole number of milliseconds" };
  return time;
}

/** In bytes. */
export function readSize_bytes(word: string): Read {
  const size = read(word, sizes_bytes, "8MB");
  if ("value" in size && !Number.isInteger(size.value)) return { fault: "is no whole number of bytes" };
  return size;
}

/** `500ms`, `1.5s`: the one form of a time. */
export function formatTime_ms(time_ms: number): string {
  return time_ms > 0 && time_ms < 1000 ? `${time_ms}ms` : `${exact(time_ms / 1000)}s`;
}

/** `8MB`, `1.5kB`, `1234567B`: the largest unit that leaves three decimals or fewer. */
export function formatSize_bytes(size_bytes: number): string {
  const fitting = Object.entries(sizes_bytes).filter(
    ([, size]) => size_bytes >= size && size_bytes % Math.max(1, size / 1000) === 0,
  );
  const [unit, size] = fitting.at(-1) ?? ["B", 1];
  return `${exact(size_bytes / size)}${unit}`;
}
