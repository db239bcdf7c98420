// How far a flow of a given size was by when: the times at which its receiver had each tenth of it (Panda 2019 compares flows by it).
import { type Counter, placeAfter } from "./cumulative.ts";

export const tenths = 10;

/** When a counter reached so many bytes, in ms since the run began, linear between samples; null: never. */
function reachedAt_ms({ time_ms, bytes }: Counter, wanted_bytes: number): number | null {
  let next = placeAfter(bytes, wanted_bytes);
  // The first of several samples with just so many.
  while (next > 0 && (bytes[next - 1] as number) >= wanted_bytes) next--;
  if (next >= bytes.length) return null;
  const [to_ms, to] = [time_ms[next] as number, bytes[next] as number];
  if (next === 0) return to_ms;
  const [from_ms, from] = [time_ms[next - 1] as number, bytes[next - 1] as number];
  return from_ms + ((to_ms - from_ms) * (wanted_bytes - from)) / (to - from);
}

/** Ten times in ms since `began_ms`, when its first packet was sent. */
export function progress_ms(counter: Counter, size_bytes: number, began_ms: number): (number | null)[] {
  return Array.from({ length: tenths }, (_, tenth) => {
    const at_ms = reachedAt_ms(counter, (size_bytes * (tenth + 1)) / tenths);
    return at_ms === null ? null : Math.max(0, at_ms - began_ms);
  });
}
