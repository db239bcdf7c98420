// Sweeps that stop by what they show, of one page on a link whose truth is known: what is decided, what the answer then says, and
// whether the intervals that are printed hold. Seeded; judges nothing.
import { randomSource } from "../../../../cli/base/random.ts";
import { answerOf } from "../../../../cli/results/answer/answer.ts";
import { medianInterval } from "../../../../cli/results/stats/median_interval.ts";
import { decide, firstLook, lastLook } from "../../../../cli/results/stats/sequential.ts";
import type { Load } from "../../../../cli/results/store/sweep_rows.ts";
import { compare, direction } from "../../../../cli/results/verdict/comparison.ts";
import { isSettled, pairDecisions } from "../../../../cli/results/verdict/load_stopping_rule.ts";
import type { Sample } from "../../../../cli/results/verdict/sample.ts";
import { blockLoads, type DrawStudy, holds, pair } from "./simulated_study.ts";

const lanes = ["h2", "h3"] as const;
const place = { page: "shop", link: "10mbit/50ms" };

/** As many blocks as there are at most. */
function blocksOf(study: DrawStudy, random: () => number, truth = 0): Sample[][] {
  const draw = study(random);
  return Array.from({ length: lastLook }, (_, block) => {
    const { lane, over } = draw(0);
    return blockLoads({ ...place, block }, { lane, over: over + truth });
  });
}

/** Shares of studies, 0 to 1. */
export interface DecidedTold {
  /** Decided to be what it is not: different where it does not differ, equal or the other way round where it does. */
  readonly wrong: number;
  /** Decisions' intervals that do not hold the truth, of those there are. */
  readonly missed: number;
  /** Blocks spent, of all there may be. */
  readonly spent: number;
}

/** `truth`: log(h2 / h3). */
export function decidedTold(
  name: string,
  study: DrawStudy,
  truth: number,
  margin: number,
  studies: number,
): DecidedTold {
  const random = randomSource(6, `${name} ${truth}`);
  const right = truth === 0 ? ["equivalent", "undecided"] : ["faster", "undecided"];
  let [wrong, missed, known, blocks] = [0, 0, 0, 0];
  for (let number = 0; number < studies; number++) {
    const [decision] = pairDecisions(blocksOf(study, random, truth).flat(), lanes, margin);
    if (!decision) throw new Error("no decision");
    blocks += decision.blocks;
    if (!right.includes(decision.decision)) wrong++;
    if (decision.interval === null) continue;
    known++;
    if (!holds(decision.interval, (1 - Math.exp(-truth)) * 100)) missed++;
  }
  return { wrong: wrong / studies, missed: missed / known, spent: blocks / (studies * lastLook) };
}

/** Shares of studies of lanes that do not differ, 0 to 1. */
export interface AnswersTold {
  /** The answer of a sweep that stopped says that one lane saves something. */
  readonly wrong: number;
  /** It says so of lanes that were not decided to differ, or does not of such as were. */
  readonly otherwise: number;
}

/** What answers say, in their words. */
export function answersTold(name: string, study: DrawStudy, margin: number, studies: number): AnswersTold {
  const random = randomSource(7, name);
  let [wrong, otherwise] = [0, 0];
  for (let number = 0; number < studies; number++) {
    const blocks = blocksOf(study, random);
    const logs = blocks.map(([over, lane]) => ({
      lane: Math.log(lane?.plt_ms ?? 0),
      over: Math.log(over?.plt_ms ?? 0),
    }));
    const { decision, blocks: taken } = decide(logs, margin);
    const loads = blocks.slice(0, taken).flat() as unknown as Load[];
    const { sentence } = answerOf({
      ...{ cells: lanes.map((lane) => ({ ...place, lane })), loads, seed: number, environment: {} as never },
      ...{ plan: { until: { decided_percent: margin }, repetitions: lastLook }, evidence: () => [] },
    });
    const isSaid = / saves | longer than /.test(sentence);
    if (isSaid) wrong++;
    if (isSaid !== (decision === "faster" || decision === "slower") && !/ are equal within /.test(sentence))
      otherwise++;
  }
  return { wrong: wrong / studies, otherwise: otherwise / studies };
}

export interface PreciseTold {
  /** Studies that stopped before the last block. */
  readonly stopped: number;
  /** Lanes' intervals that miss their median; of those that stopped early, and of all. */
  readonly missedEarly: number;
  readonly missed: number;
  /** Intervals of the difference that miss it, and studies that call the lanes different. */
  readonly differenceMissed: number;
  readonly wrong: number;
}

/** `--precise` of two lanes whose medians are 500 ms. */
export function preciseTold(name: string, study: DrawStudy, interval_percent: number, studies: number): PreciseTold {
  const random = randomSource(8, name);
  let [early, missedEarly, missed, differenceMissed, wrong] = [0, 0, 0, 0, 0];
  for (let number = 0; number < studies; number++) {
    const blocks = blocksOf(study, random);
    let taken = firstLook;
    while (taken < lastLook && !isSettled(blocks.slice(0, taken).flat(), lanes, { interval_percent })) taken++;
    const loads = blocks.slice(0, taken).flat();
    const misses = lanes.filter(
      (lane) => !holds(medianInterval(loads.flatMap((load) => (load.lane === lane ? (load.plt_ms ?? 0) : []))), 500),
    ).length;
    missed += misses;
    if (taken < lastLook) {
      early++;
      missedEarly += misses;
    }
    const result = compare(loads, pair, number);
    if (!holds(result.interval, 0)) differenceMissed++;
    if (direction(result) === "faster" || direction(result) === "slower") wrong++;
  }
  const share = (times: number): number => times / studies;
  return {
    ...{ stopped: share(early), missedEarly: early === 0 ? 0 : missedEarly / (2 * early), missed: share(missed / 2) },
    ...{ differenceMissed: share(differenceMissed), wrong: share(wrong) },
  };
}
