// What a running sweep's loads say so far: the answer's sentence once the first page on a link has three blocks, and a better one as
// blocks end. A look at what has come, which stops nothing. Reads loads, no page load; takes hardly any of the run's time.
import type { AnswerSoFar, LoadFinished } from "../../../../schemas/generated/sweep_event.ts";
import { type Answer, soundAnswer } from "../../../results/answer/answer.ts";
import type { Results, Sweep } from "../../../results/store/results.ts";
import { named, samplesOf, usualMetric } from "../../../results/verdict/compared_metric.ts";

/** Runs of each lane before a first word. */
const firstRuns = 3;
/** Looking takes at most so much of the time. */
const mostShare = 0.02;

interface Looking {
  readonly results: Pick<Results, "cellsOf" | "loadsOf">;
  readonly sweep: Sweep;
  /** In tests: a monotonic clock. */
  readonly now_ms?: () => number;
}

export class LooksSoFar {
  readonly #looking: Looking;
  readonly #now_ms: () => number;
  readonly #lanes: number;
  /** Valid loads by page on a link, then by lane. */
  readonly #valid = new Map<string, Map<string, number>>();
  #looked_ms = Number.NEGATIVE_INFINITY;
  #took_ms = 0;
  #said = "";
  #hasInterval = false;

  constructor(looking: Looking) {
    this.#looking = looking;
    this.#now_ms = looking.now_ms ?? (() => performance.now());
    const { results, sweep } = looking;
    this.#lanes = new Set(results.cellsOf(sweep.id).map(({ lane }) => lane)).size;
    for (const load of results.loadsOf(sweep.id)) this.#endsBlock(load);
  }

  /** Null: nothing that was not said before. */
  after(load: LoadFinished): AnswerSoFar | null {
    const isLast = load.done >= load.loads;
    if (!this.#endsBlock(load) || isLast || !this.#mayLook()) return null;
    const { results, sweep } = this.#looking;
    const began_ms = this.#now_ms();
    const metric = sweep.plan.metric ?? usualMetric;
    const answer = soundAnswer({
      // Of pages and links to come nothing is said.
      cells: results.cellsOf(sweep.id).filter(({ page, link }) => this.#valid.has(JSON.stringify([page, link]))),
      loads: samplesOf(results.loadsOf(sweep.id), metric),
      seed: sweep.seed,
      plan: sweep.plan,
      environment: sweep.environment,
      // Read from whole page loads: for the end.
      evidence: () => [],
    });
    this.#looked_ms = this.#now_ms();
    this.#took_ms = this.#looked_ms - began_ms;
    return this.#news(answer, named(answer.sentence, metric));
  }

  /** Few loads of many pages on links may have no interval where those before had one: that is no better answer. */
  #news({ pair, hasInterval }: Answer, sentence: string): AnswerSoFar | null {
    if (pair === null || sentence === this.#said || (this.#hasInterval && !hasInterval)) return null;
    this.#said = sentence;
    this.#hasInterval = hasInterval;
    return { event: "answer-so-far", sweep: this.#looking.sweep.id, sentence, has_interval: hasInterval };
  }

  #mayLook(): boolean {
    return this.#now_ms() - this.#looked_ms >= this.#took_ms / mostShare;
  }

  /** Counts it; whether all lanes of its page on its link have one run more than before, and enough for a word. */
  #endsBlock({ page, link, lane, status }: Pick<LoadFinished, "page" | "link" | "lane" | "status">): boolean {
    if (status !== "valid") return false;
    const key = JSON.stringify([page, link]);
    const lanes = this.#valid.get(key) ?? new Map<string, number>();
    this.#valid.set(key, lanes);
    const before = this.#fewest(lanes);
    lanes.set(lane, (lanes.get(lane) ?? 0) + 1);
    const now = this.#fewest(lanes);
    return now > before && now >= firstRuns;
  }

  #fewest(lanes: ReadonlyMap<string, number>): number {
    return lanes.size < this.#lanes ? 0 : Math.min(...lanes.values());
  }
}
