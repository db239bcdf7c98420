// A sweep as one JSON document by schemas/export.schema.json: what was planned, every load, and what they say. No HAR.
import type {
  Export,
  ExportedBeyondMedian,
  ExportedDecision,
  ExportedHost,
} from "../../../schemas/generated/export.ts";
import { keptBrowsers } from "../../base/browser_words.ts";
import { type Interval, knownEnd } from "../../base/interval.ts";
import { traitsByLink } from "../../link/link.ts";
import type { Cell, FilmedLoad, Host, LinkTest, Load, Sweep } from "../store/results.ts";
import { beyondMedian } from "../verdict/beyond_median.ts";
import { samplesOf } from "../verdict/compared_metric.ts";
import { compare, limitOf } from "../verdict/comparison.ts";
import { decidedWithin, decisionCounts, placeDecisions } from "../verdict/load_stopping_outcome.ts";
import type { PairDecision } from "../verdict/load_stopping_rule.ts";
import { type LanePair, lanePairs, type Sample } from "../verdict/sample.ts";
import { type PairVerdict, verdictBy } from "../verdict/sweep_verdict.ts";

function exportedHost({ name, facts }: Host): ExportedHost {
  const { cpu, cpus, kernel, versions } = facts;
  return { name, cpu, cpus, kernel, browser: keptBrowsers(versions) };
}

const endsOf = (interval: Interval | null) => ({
  low_percent: knownEnd(interval?.low),
  high_percent: knownEnd(interval?.high),
});

function exportedBeyond(loads: readonly Sample[], seed: number): ExportedBeyondMedian {
  const { effects, tails, components } = beyondMedian(loads, seed);
  return {
    page_effects: effects.flatMap(({ pair, pages }) =>
      pages.map(({ page, effect: { percent, interval }, probability, holm, benjaminiHochberg, named }) => {
        const tests = { probability, holm, benjamini_hochberg: benjaminiHochberg, named };
        return { page, ...pair, percent, ...endsOf(interval), ...tests };
      }),
    ),
    tails: tails.flatMap(({ pair, link, tails: ofLink }) =>
      ofLink.map(({ interval, ...tail }) => ({ link, ...pair, ...tail, ...endsOf(interval) })),
    ),
    variance_components: components.flatMap(({ pair, components: ofPair }) =>
      ofPair.map(({ name, ...component }) => ({ ...pair, component: name, ...component })),
    ),
  };
}

function exportedDecision({ decision, blocks, givenUp, percent, interval }: PairDecision): ExportedDecision {
  return { decision, blocks, given_up: givenUp, percent, ...endsOf(interval) };
}

const isOf = ({ lane, over }: LanePair, { pair }: PairDecision): boolean => pair.lane === lane && pair.over === over;

/** A pair's sentence; where loads stopped once it was decided, after what was. `margin_percent`: null where they did not. */
function sentenceOf(
  { pair, sentence }: PairVerdict,
  decisions: readonly PairDecision[],
  margin_percent: number | null,
): string {
  const ofPair = decisions.filter((each) => isOf(pair, each));
  const counts = margin_percent === null ? null : decisionCounts(pair, ofPair, margin_percent);
  return counts === null ? sentence : `${counts}. By a test that counts one look: ${sentence}`;
}

export function exportDocument(
  sweep: Sweep,
  cells: readonly Cell[],
  loads: readonly Load[],
  linkTests: readonly LinkTest[],
  filmedLoads: readonly FilmedLoad[] = [],
): Export {
  const chosen = new Set(cells.map(({ id }) => id));
  const links = new Set(cells.map((cell) => cell.link));
  const verdict = verdictBy(sweep.plan.metric, loads, traitsByLink(cells), sweep.seed);
  const samples = samplesOf(loads, sweep.plan.metric);
  const groups = Map.groupBy(samples, (load) => JSON.stringify([load.page, load.link]));
  const margin_percent = decidedWithin(sweep.plan.until);
  const decisions = margin_percent === null ? [] : placeDecisions(cells, samples, margin_percent);
  const improvements = [...groups.values()].flatMap((group) =>
    lanePairs(group.map((load) => load.lane)).map((pair) => {
      const result = compare(group, pair, sweep.seed);
      const { percent, interval, n, reason } = result;
      const page = group[0]?.page ?? "";
      const link = group[0]?.link ?? "";
      const here = decisions.find((each) => each.page === page && each.link === link && isOf(pair, each));
      return {
        page,
        link,
        ...pair,
        percent,
        ...endsOf(interval),
        limit: percent === null ? null : limitOf(result),
        loads_lane: n.lane,
        loads_over: n.over,
        reason,
        ...(here ? { decision: exportedDecision(here) } : {}),
      };
    }),
  );
  const { id, name, plan, plan_digest, created_at, finished_at, seed, command, environment } = sweep;
  return {
    schema: "trilane/export/1",
    sweep: { id, name, plan, plan_digest, created_at, finished_at, seed, command: [...command], environment },
    cells: cells.map((cell) => ({
      id: cell.id,
      page: cell.page,
      lane: cell.lane,
      link: cell.link,
      link_profile: cell.link_profile,
      recording_digest: cell.recording_digest,
      ...(cell.host ? { host: exportedHost(cell.host) } : {}),
    })),
    link_tests: linkTests.filter(({ test }) => links.has(test.link)).map((each) => ({ ...each })),
    loads: loads.map(({ page: _page, lane: _lane, link: _link, ...load }) => ({ ...load, reasons: [...load.reasons] })),
    filmed_loads: filmedLoads
      .filter(({ cell }) => chosen.has(cell))
      .map((film) => ({ ...film, reasons: [...film.reasons] })),
    improvements,
    verdict: {
      scope: verdict.scope,
      sentences: [...verdict.pairs.map((pair) => sentenceOf(pair, decisions, margin_percent)), ...verdict.notes],
      excluded: verdict.excluded,
    },
    beyond_median: exportedBeyond(samples, sweep.seed),
  };
}
