// What stopping early saves, and whether it decides as all repetitions do: the rule of `--decide 3`, by the very code that the
// runner asks, over the loads of a sweep that ran fixed repetitions. `npm run bench -- adaptive RESULTS.db` (a copy of a home's
// results.db). Its blocks are drawn again, whole and with replacement, to the 30 that the rule looks at at most.
import { existsSync } from "node:fs";
import { UserError } from "../../cli/base/errors.ts";
import { type RandomSource, randomSource } from "../../cli/base/random.ts";
import { pageRule } from "../../cli/instruments/page/run/settled_lanes.ts";
import { blockDifferenceTails } from "../../cli/results/stats/difference_test.ts";
import { type LogPair, lastLook } from "../../cli/results/stats/sequential.ts";
import { openResultsFile } from "../../cli/results/store/results.ts";
import { logPairs, pairDecisions } from "../../cli/results/verdict/load_stopping_rule.ts";
import { isValid, type Sample } from "../../cli/results/verdict/sample.ts";
import { type Bench, measurement } from "./bench.ts";

const margin_percent = 3;
const until = { decided_percent: margin_percent };
const studies = 20;
/** With fewer blocks of a place there is too little to draw from. */
const fewestBlocks = 3;
const level = 0.05;

interface Place {
  readonly page: string;
  readonly link: string;
  /** The loads of each block in which any was valid. */
  readonly blocks: readonly (readonly Sample[])[];
}

function placesOf(loads: readonly Sample[]): Place[] {
  return [...Map.groupBy(loads, ({ page, link }) => JSON.stringify([page, link])).values()].map((group) => ({
    page: group[0]?.page ?? "",
    link: group[0]?.link ?? "",
    blocks: [...Map.groupBy(group, ({ block }) => block).entries()].sort(([a], [b]) => a - b).map(([, block]) => block),
  }));
}

function redrawn({ blocks }: Place, random: RandomSource): Sample[][] {
  return Array.from({ length: lastLook }, (_, block) => {
    const drawn = blocks[Math.floor(random() * blocks.length)] as readonly Sample[];
    return drawn.map((load) => ({ ...load, block }));
  });
}

/** All that so many differences show at 5 %, each test for itself, as for a number of loads fixed before. */
function shown(pairs: readonly LogPair[]): string[] {
  const lane = Float64Array.from(pairs, (pair) => pair.lane);
  const over = Float64Array.from(pairs, (pair) => pair.over);
  const margin = Math.log1p(margin_percent / 100);
  const { greater, less, twoSided } = blockDifferenceTails(lane, over);
  const above = blockDifferenceTails(lane, over, -margin).greater;
  const below = blockDifferenceTails(lane, over, margin).less;
  const found = [
    ...(twoSided <= level ? [greater < less ? "faster" : "slower"] : []),
    ...(Math.max(above, below) <= level ? ["equivalent"] : []),
  ];
  return found.length === 0 ? ["undecided"] : found;
}

interface Tally {
  loads: number;
  pairs: number;
  same: number;
  /** Decided by one of them only. */
  onlyAll: number;
  onlyEarly: number;
  /** Decided by both, but not alike. */
  otherwise: number;
  /** Decided by all loads as by as many others, drawn for themselves. */
  reproduced: number;
}

/** Loads one place as the runner does, block by block, until it says that they are enough. `others`: a second study of all. */
function replay(
  blocks: readonly (readonly Sample[])[],
  others: readonly Sample[],
  lanes: readonly string[],
  tally: Tally,
): void {
  const enough = pageRule({ until, lanes }, []);
  const early: Sample[] = [];
  blocks.forEach((block, index) => {
    for (const load of block) {
      if (enough.isEnough(load, index)) continue;
      enough.add(load);
      early.push(load);
    }
  });
  tally.loads += early.length;
  const all = blocks.flat();
  for (const { pair, decision } of pairDecisions(early, lanes, margin_percent)) {
    const right = shown(logPairs(all, pair));
    tally.pairs++;
    if (shown(logPairs(others, pair)).some((each) => right.includes(each))) tally.reproduced++;
    if (right.includes(decision)) tally.same++;
    else if (decision === "undecided") tally.onlyAll++;
    else if (right.includes("undecided")) tally.onlyEarly++;
    else tally.otherwise++;
  }
}

export const bench: Bench = async (say, only) => {
  if (only === "")
    throw new UserError("adaptive: no database: name a copy of the results.db of a sweep, after `adaptive`");
  if (!existsSync(only)) throw new UserError(`adaptive: no file ${only}`);
  using results = openResultsFile(only);
  const [largest] = results
    .listSweeps()
    .map((sweep) => ({ sweep, valid: results.loadsOf(sweep.id).filter(isValid) }))
    .sort((a, b) => b.valid.length - a.valid.length);
  if (!largest) throw new UserError(`adaptive: no sweep in ${only}`);
  const { sweep, valid } = largest;
  const { lanes } = sweep.plan;
  const places = placesOf(valid).filter(({ blocks }) => blocks.length >= fewestBlocks);
  const numbers = places.map(({ blocks }) => blocks.length);
  if (places.length === 0)
    throw new UserError(`adaptive: ${sweep.name} has no page and link with ${fewestBlocks} blocks`);
  say(`${sweep.name}: ${places.length} pages on links, ${Math.min(...numbers)} to ${Math.max(...numbers)} blocks each`);
  const shares: number[] = [];
  const tallies: Tally[] = [];
  for (let study = 0; study < studies; study++) {
    const random = randomSource(30, `study ${study}`);
    const tally: Tally = { loads: 0, pairs: 0, same: 0, onlyAll: 0, onlyEarly: 0, otherwise: 0, reproduced: 0 };
    for (const place of places) replay(redrawn(place, random), redrawn(place, random).flat(), lanes, tally);
    shares.push((tally.loads / (places.length * lanes.length * lastLook)) * 100);
    tallies.push(tally);
  }
  const percent = (of: (tally: Tally) => number) => tallies.map((tally) => (of(tally) / tally.pairs) * 100);
  const share = { unit: "%" } as const;
  return [
    measurement(`loads spent, of ${lastLook} blocks'`, shares, 35, share),
    measurement(
      "comparisons decided as by all loads",
      percent((tally) => tally.same),
      null,
      share,
    ),
    measurement(
      "decided by all loads as by as many others",
      percent((tally) => tally.reproduced),
      null,
      share,
    ),
    measurement(
      "decided otherwise",
      percent((tally) => tally.otherwise),
      5,
      share,
    ),
    measurement(
      "decided by all loads only",
      percent((tally) => tally.onlyAll),
      null,
      share,
    ),
    measurement(
      "decided early only",
      percent((tally) => tally.onlyEarly),
      null,
      share,
    ),
  ];
};
