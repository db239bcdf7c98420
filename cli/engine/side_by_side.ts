// Runs units of work in order, some of them side by side: those that may share the machine up to so many at a time, the
// others alone. Knows no loads and no links.

export interface SideBySide<Unit> {
  /** At a time, read for each unit; 1: one after another. */
  readonly most: () => number;
  readonly mayShare: (unit: Unit) => boolean;
  /** Must be alone with what it does before its unit runs beside others (a measurement of the machine). Called until it begins. */
  readonly needsQuiet: (unit: Unit) => boolean;
  /** Called only while nothing runs. */
  readonly prepare: (unit: Unit) => Promise<void>;
  /** Waits for room beside what runs, as long as `isBeside` says that something does. */
  readonly admit?: (isBeside: () => boolean) => Promise<void>;
  /** False: nothing more is to be started. */
  readonly run: (unit: Unit) => Promise<boolean>;
  /** After a failure, so that what still runs ends soon. */
  readonly fail: () => void;
}

/** For each unit, how many of them run at a time while it does: those next to one another that may share, up to `most`. A guess for the time left. */
export function expectedWidths<Unit>(
  units: readonly Unit[],
  most: number,
  mayShare: (unit: Unit) => boolean,
): number[] {
  const widths = units.map(() => 1);
  for (let from = 0; from < units.length; ) {
    let to = from;
    while (to < units.length && mayShare(units[to] as Unit)) to++;
    widths.fill(Math.max(1, Math.min(most, to - from)), from, to);
    from = Math.max(to, from + 1);
  }
  return widths;
}

/** True when all units ran. What the first failed one threw is thrown once nothing runs any more. */
export async function runSideBySide<Unit>(units: readonly Unit[], how: SideBySide<Unit>): Promise<boolean> {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let continues = true;
  const failed = (error: unknown): void => {
    failures.push(error);
    if (failures.length === 1) how.fail();
  };
  const untilAtMost = async (most: () => number): Promise<void> => {
    while (running.size > most()) await Promise.race(running);
  };
  let shares = true;
  for (const unit of units) {
    const joins = how.most() > 1 && how.mayShare(unit);
    const others = (): number => (joins && shares && !how.needsQuiet(unit) ? how.most() - 1 : 0);
    await untilAtMost(others);
    if (running.size > 0) await how.admit?.(() => running.size > 0);
    // Meanwhile a measurement may have become due, or a lab been taken away.
    await untilAtMost(others);
    if (!continues || failures.length > 0) break;
    shares = joins;
    try {
      if (running.size === 0) await how.prepare(unit);
    } catch (error) {
      failed(error);
      break;
    }
    const task: Promise<void> = how
      .run(unit)
      .then((more) => {
        continues &&= more;
      }, failed)
      .finally(() => running.delete(task));
    running.add(task);
  }
  await untilAtMost(() => 0);
  if (failures.length > 0) throw failures[0];
  return continues;
}
