// How much slower this machine computes after it slept: as a virtual one does whose memory its host takes. What it adds to each round trip
// no test of time can take off, however idle the machine is. As a program it prints that in words, or nothing (native/timing.sh).
import { setTimeout as delay } from "node:timers/promises";
import { median } from "../cli/base/quantile.ts";

const slept_ms = 300;
const mostSlowdown = 2;

/** Some allocation and lookup, as a browser or a server does for an answer. */
function someWork(): void {
  const numbers = new Map<string, { readonly number: number }>();
  for (let number = 0; number < 20_000; number++) numbers.set(`number ${number}`, { number });
}

/** How many times as long the same work takes after a sleep of a long round trip: 1 to 1.5 as a rule, 4 to 8 on a virtual machine whose memory its host takes. */
export async function slowdownBySleep(): Promise<number> {
  const medianTime_ms = async (sleep_ms: number): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      await delay(sleep_ms);
      const began_ms = performance.now();
      someWork();
      times.push(performance.now() - began_ms);
    }
    return median(times);
  };
  for (let round = 0; round < 10; round++) someWork(); // compiled by then
  const awake_ms = await medianTime_ms(0);
  return (await medianTime_ms(slept_ms)) / awake_ms;
}

/** In words; null: so little that tests of time hold. */
export const slownessOf = (slowdown: number): string | null =>
  slowdown <= mostSlowdown
    ? null
    : `after a sleep of ${slept_ms} ms this machine computes ${slowdown.toFixed(1)} times slower`;

if (import.meta.main) process.stdout.write(slownessOf(await slowdownBySleep()) ?? "");
