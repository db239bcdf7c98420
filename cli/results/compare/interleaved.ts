// The two sides of a sweep that loaded two versions alternately (`interleaved` in its plan): two pages, two links or two browsers,
// as two runs with the same cells, block by block. Pure; the order of such loads is cli/sweep/plan/neighbours.ts's.
import type { Cell, Sweep } from "../store/results.ts";
import type { Measured, MetricChoice } from "../verdict/compared_metric.ts";

/** What of a cell a comparison needs. An instrument names its own (`StoredSweeps.run` of cli/engine/plan_kind.ts): a command is a lane. */
export interface RunCell {
  readonly id: number;
  readonly page: string;
  readonly link: string;
  readonly lane: string;
  /** null: there is none, or it was not noted. */
  readonly recording_digest: string | null;
  /** null: the network as it is. */
  readonly link_profile: Cell["link_profile"] | null;
  /** Of a link, what is at its other end, if that is not the page. */
  readonly far?: string;
}

/** And of an attempt: its time, as `plt_ms`, and whether it counts. */
export interface RunLoad extends Measured {
  readonly id: number;
  readonly cell: number;
}

/** What the parts of a comparison are called. */
export interface ComparedNouns {
  /** What is compared, as sweeps are stored: pages. */
  readonly of: string;
  readonly lane: string;
  readonly load: string;
  readonly loads: string;
  /** What names a cell. */
  readonly place: string;
  /** Their time; null: they have several, of which `--metric` chooses. */
  readonly metric: string | null;
  /** Of a table: what names a row. */
  readonly heads: readonly [string, string];
  /** How a budget names a cell (schemas/budget.schema.json), and that in words. */
  readonly budget: { readonly names: readonly ("page" | "lane" | "command")[]; readonly words: string };
  /** How both sides are run in the same minutes; absent: they cannot be. */
  readonly together?: string;
}

/** One sweep's cells and loads. */
export interface Run {
  readonly cells: readonly RunCell[];
  readonly loads: readonly RunLoad[];
}

/** A stored sweep as `trilane compare` and budgets take it. */
export interface ComparedSweep extends Run {
  readonly nouns: ComparedNouns;
  /** What it ran for, if its loads have several metrics. */
  readonly metric?: MetricChoice | undefined;
  /** How many times its time was slower than ours; absent: it was not. */
  readonly dilate?: number | undefined;
  /** The two versions that the sweep alternated, of its cells and loads; null: it did not. */
  readonly sidesOf?: (run: Run) => InterleavedSides | null;
  /** Its loads are page loads, whose requests the results have. */
  readonly hasRequests?: true;
}

/** What the two sides are called. */
export interface SideNames {
  readonly a: string;
  readonly b: string;
}

export interface InterleavedSides {
  readonly of: "pages" | "links" | "browsers";
  readonly a: Run;
  readonly b: Run;
  readonly names: SideNames;
}

/** Of browsers each block has one: even ones the first, odd ones the second. */
export const blocksPerPair = 2;

type Names = readonly [string, string];

/** The two of what is alternated, in the plan's order. */
function versionsOf(cells: readonly RunCell[], of: "page" | "link"): Names {
  const [a = "", b = ""] = new Set(cells.map((cell) => cell[of]));
  return [a, b];
}

/** Both as one place: what differs by intention is no other recording and no other link. */
function sideOf({ cells, loads }: Run, of: "page" | "link", names: Names, side: 0 | 1): Run {
  const both = names.join(" -> ");
  const first = cells.find((cell) => cell[of] === names[0]);
  const alike =
    of === "page" ? { recording_digest: both } : { link_profile: (first ?? (cells[0] as RunCell)).link_profile };
  const own = cells.filter((cell) => cell[of] === names[side]);
  const ids = new Set(own.map(({ id }) => id));
  return {
    cells: own.map((cell) => ({ ...cell, ...alike, [of]: both })),
    loads: loads.filter(({ cell }) => ids.has(cell)).map((load) => ({ ...load, [of]: both })),
  };
}

/** Null for a sweep of another kind. */
export function interleavedSides({ plan }: Pick<Sweep, "plan">, run: Run): InterleavedSides | null {
  const { cells, loads } = run;
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
    return { of: "browsers", a: ofSide(0), b: ofSide(1), names: { a, b } };
  }
  const of = interleaved.of === "pages" ? "page" : "link";
  const names = versionsOf(cells, of);
  return {
    of: interleaved.of,
    a: sideOf(run, of, names, 0),
    b: sideOf(run, of, names, 1),
    names: { a: names[0], b: names[1] },
  };
}
