// The order of a sweep's loads. Pure: the same plan and seed give the same order, also when a sweep is resumed.
// Blocks: in each block every cell runs once; the lanes of a page on a link run directly after one another, so that a
// slow minute of the machine meets all lanes alike, and in random order, so that none is always first. What runs next to one
// another is neighbours.ts's to say.
import { hashText, type RandomSource, randomSource } from "../../base/random.ts";

export interface PlannedLoad {
  /** Place in the order, from 0. */
  readonly position: number;
  /** Repetition, from 0. */
  readonly block: number;
  /** Index into the cells. */
  readonly cell: number;
}

/** Fisher and Yates, on a copy. */
function shuffled<Item>(items: readonly Item[], random: RandomSource): Item[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other] as Item, result[last] as Item];
  }
  return result;
}

/**
 * Every cell once in each block. `groupOf` names what a cell shares with those that run next to it. So many blocks of a group are
 * shuffled together (`blocksPerRound`); a round that has fewer is not begun.
 */
export function orderLoads<Cell>(
  cells: readonly Cell[],
  groupOf: (cell: Cell) => string,
  repetitions: number,
  seed: number,
  blocksPerRound = 1,
): PlannedLoad[] {
  const groups = new Map<string, number[]>();
  cells.forEach((cell, index) => {
    const name = groupOf(cell);
    const group = groups.get(name);
    if (group) group.push(index);
    else groups.set(name, [index]);
  });
  const order: PlannedLoad[] = [];
  for (let first = 0; first + blocksPerRound <= repetitions; first += blocksPerRound) {
    // A stream of its own for each round: more repetitions do not change those before them.
    const random = randomSource(seed, `order of block ${first}`);
    for (const group of shuffled([...groups.values()], random)) {
      const turns = group.flatMap((cell) =>
        Array.from({ length: blocksPerRound }, (_, turn) => ({ cell, block: first + turn })),
      );
      for (const { cell, block } of shuffled(turns, random)) order.push({ position: order.length, block, cell });
    }
  }
  return order;
}

/** The order with the first cell's group ahead of all others for so many blocks: what one reads first is known first. */
export function leadFirst<Cell>(
  order: readonly PlannedLoad[],
  cells: readonly Cell[],
  groupOf: (cell: Cell) => string,
  blocks: number,
): PlannedLoad[] {
  const [first] = cells;
  if (first === undefined || blocks === 0) return [...order];
  const lead = groupOf(first);
  const leads = ({ cell, block }: PlannedLoad): boolean => block < blocks && groupOf(cells[cell] as Cell) === lead;
  const sorted = order.toSorted((a, b) => Number(leads(b)) - Number(leads(a)));
  return sorted.map((planned, position) => ({ ...planned, position }));
}

/**
 * The seed of all that is random on the link: the same for all lanes of a page and link in one block, so that they meet the same
 * luck, and another for each repetition, page and link: cells that lost the same packets would err together, and what sums
 * them up would seem surer than it is.
 */
export function linkSeed(
  planSeed: number,
  { page, link, link_profile }: { page: string; link: string; link_profile: { seed: number } },
  block: number,
): number {
  return hashText(`link ${planSeed} ${link_profile.seed} ${JSON.stringify([page, link])} ${block}`);
}
