// How computing grows with what is computed: CPU time of a large task over that of a small one, in the same process. Beside
// test/native/shaper/nodes/{queue,trace}_test.c the only place in which a test judges computing by a clock (test/clocks.ts): a ratio is
// the same on a slow machine and on a busy one. A caller leaves room for chance: the bound lies well between the growth
// that is wanted and the one that is not.

/**
 * CPU time of this process, which other programs do not use up: the kernel counts user and system time exactly together, and divides them by
 * where its ticks fell, so that a short task can have no user time at all.
 */
async function cpu_us(task: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await task();
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, user + system);
}

/** So many times as much computing `large` takes as `small`: of each the least of some tries, taken in turns. */
export async function growth(small: () => unknown, large: () => unknown, tries = 3): Promise<number> {
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [number, number];
  for (let at = 0; at < tries; at++) {
    least[0] = Math.min(least[0], await cpu_us(small));
    least[1] = Math.min(least[1], await cpu_us(large));
  }
  return least[1] / least[0];
}
