// What the statistics ask of a load: which cell and block it belongs to, whether it counts, its page load time.
// The rows of cli/results fit as they are. No arithmetic.

export type LoadStatus = "valid" | "invalid" | "failed";

export interface Sample {
  readonly page: string;
  /** The link's short form: the label under which loads are compared. */
  readonly link: string;
  readonly lane: string;
  /** Loads of one block ran next to each other, one per lane, so that a slow minute of the machine hits all lanes. */
  readonly block: number;
  readonly status: LoadStatus;
  /** Why a load is not valid. */
  readonly reasons: readonly string[];
  readonly plt_ms: number | null;
}

/** A sample that may enter an average. */
export interface ValidSample extends Sample {
  readonly plt_ms: number;
}

export function isValid(sample: Sample): sample is ValidSample {
  return sample.status === "valid" && sample.plt_ms !== null;
}

const laneOrder = ["h1", "h2", "h3"];

/** Lanes in the order in which people read them: h1, h2, h3, then others by name. */
export function sortLanes(lanes: Iterable<string>): string[] {
  const rank = (lane: string): number => {
    const index = laneOrder.indexOf(lane);
    return index < 0 ? laneOrder.length : index;
  };
  return [...new Set(lanes)].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0));
}

/** A pair of lanes to compare: `over` is the baseline, "h3 over h2" is {lane: "h3", over: "h2"}. */
export interface LanePair {
  readonly lane: string;
  readonly over: string;
}

/** Every later lane over every earlier one: h2 over h1, h3 over h1, h3 over h2. */
export function lanePairs(lanes: Iterable<string>): LanePair[] {
  const sorted = sortLanes(lanes);
  return sorted.flatMap((lane, index) => sorted.slice(0, index).map((over) => ({ lane, over })));
}
