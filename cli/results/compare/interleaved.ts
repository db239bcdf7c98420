// The two sides of a sweep that loaded two versions alternately (`interleaved` in its plan): two pages, two links or two browsers,
// as two runs with the same cells, block by block. Pure; the order of such loads is cli/sweep/plan/neighbours.ts's.
import type { Cell, Load, Sweep } from "../store/results.ts";

/** One sweep's cells and loads. */
export interface Run {
  readonly cells: readonly Cell[];
  readonly loads: readonly Load[];
}

/** What the two sides are called. */
export interface SideNames {
  readonly a: string;
  readonly b: string;
}

export interface InterleavedSides {
  readonly a: Run;
  readonly b: Run;
  readonly names: SideNames;
}

/** Of browsers each block has one: even ones the first, odd ones the second. */
export const blocksPerPair = 2;

type Names = readonly [string, string];

/** The two of what is alternated, in the plan's order. */
function versionsOf(cells: readonly Cell[], of: "page" | "link"): Names {
  const [a = "", b = ""] = new Set(cells.map((cell) => cell[of]));
  return [a, b];
}

/** Both as one place: what differs by intention is no other recording and no other link. */
function sideOf(cells: readonly Cell[], loads: readonly Load[], of: "page" | "link", names: Names, side: 0 | 1): Run {
  const both = names.join(" -> ");
  const first = cells.find((cell) => cell[of] === names[0]);
  const alike =
    of === "page" ? { recording_digest: both } : { link_profile: (first ?? (cells[0] as Cell)).link_profile };
  const own = cells.filter((cell) => cell[of] === names[side]);
  const ids = new Set(own.map(({ id }) => id));
  return {
    cells: own.map((cell) => ({ ...cell, ...alike, [of]: both })),
    loads: loads.filter(({ cell }) => ids.has(cell)).map((load) => ({ ...load, [of]: both })),
  };
}

/** Null for a sweep of another kind. */
export function interleavedSides(
  { plan }: Sweep,
  cells: readonly Cell[],
  loads: readonly Load[],
): InterleavedSides | null {
  const { interleaved } = plan;
  if (!interleaved) return null;
  if (interleaved.of === "browsers") {
    const ofSide = (side: number): Run => ({
      cells,
      loads: loads
        .filter(({ block }) => block % blocksPerPair === side)
        .map((load) => ({ ...load, block: Math.floor(load.block / blocksPerPair) })),
    });
    const [a, b] = interleaved.browsers;
    return { a: ofSide(0), b: ofSide(1), names: { a, b } };
  }
  const of = interleaved.of === "pages" ? "page" : "link";
  const names = versionsOf(cells, of);
  return {
    a: sideOf(cells, loads, of, names, 0),
    b: sideOf(cells, loads, of, names, 1),
    names: { a: names[0], b: names[1] },
  };
}
