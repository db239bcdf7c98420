// `trilane flows --dry-run`: what a plan would run, how long that takes and what it stores. Runs nothing, stores nothing.
import type { FlowsPlanned } from "../../../../schemas/generated/flows_planned.ts";
import { count, formatSize } from "../../../base/numbers.ts";
import { paragraph } from "../../../base/wrapped_text.ts";
import { testGuess_ms } from "../../../engine/link_tests.ts";
import { countFlows, mixWords } from "../../../link/flows/mix.ts";
import type { PageSize } from "../../../sweep/plan/estimate.ts";
import { pageName } from "../../../sweep/plan/page_patterns.ts";
import { linksOf } from "../../../sweep/plan/plan_links.ts";
import { limitWords, ruledSize } from "../../../sweep/plan/until.ts";
import { formatDuration } from "../../../sweep/progress/progress_lines.ts";
import { guessRun_ms, guessStored_bytes } from "./estimate.ts";
import { cellsOf, type FlowPlan, mixesOf, pageOf } from "./plan.ts";

/** `page`: how large the plan's page is; null where it has none. */
export function describeFlows(plan: FlowPlan, page: PageSize | null = null): FlowsPlanned {
  const cells = cellsOf(plan);
  const links = linksOf(plan);
  const loaded = pageOf(plan);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const tests_ms = sum(links.map(({ link_profile }) => testGuess_ms(link_profile)));
  const runs_ms = sum(cells.map((cell) => guessRun_ms(plan, cell, page))) * plan.repetitions;
  return {
    event: "flows-planned",
    name: plan.name,
    cells: cells.length,
    runs: cells.length * plan.repetitions,
    expected_s: Math.round((tests_ms + runs_ms) / 1000),
    expected_bytes: Math.round(sum(cells.map((cell) => guessStored_bytes(plan, cell))) * plan.repetitions),
    links: links.map(({ link }) => link) as FlowsPlanned["links"],
    mixes: mixesOf(plan).map(({ name, flows }) => ({ name, flows: [...flows] })) as FlowsPlanned["mixes"],
    for_s: plan.for_s,
    ping_ms: plan.ping_ms,
    page: loaded === null ? null : pageName(loaded.page),
    lanes: [...(loaded?.lanes ?? [])],
  };
}

/** A mix by its name, and what it is unless its name says that. */
function mixLine({ name, flows }: FlowsPlanned["mixes"][number]): string {
  const words = mixWords(flows);
  return `${name === words ? words : `${name}: ${words}`} (${count(countFlows(flows), "flow")})`;
}

const flowRule = { compared: "each flow against the first", known: "each flow's median" };

/** The plan for people, within 80 columns. */
export function flowPlanLines(plan: FlowPlan, planned: FlowsPlanned): string[] {
  const { links, mixes, cells, runs, expected_s, expected_bytes, page, lanes } = planned;
  const about = plan.until ? "at most about" : "about";
  const limit = limitWords(plan, "runs");
  const pageWords = page === null ? null : `${page} from ${plan.page_start_s} s on, over ${lanes.join(" ")}`;
  return [
    ...paragraph("plan", plan.name),
    ...(plan.description ? paragraph("asks", plan.description) : []),
    ...(plan.reference ? paragraph("after", plan.reference) : []),
    ...paragraph(count(mixes.length, "mix", "mixes"), mixes.map(mixLine).join("; ")),
    ...(pageWords === null ? [] : paragraph("page", pageWords)),
    ...(plan.ping_ms === null ? [] : paragraph("ping", `each ${plan.ping_ms} ms`)),
    ...paragraph("links", `${links.length}: ${links.join(" ")}`),
    ...paragraph(
      "size",
      ruledSize(
        `${count(cells, "cell")} x ${count(plan.repetitions, "repetition")} = ${count(runs, "run")} of ${plan.for_s} s${page === null ? "" : " at most"}`,
        plan.until,
        flowRule,
      ),
    ),
    ...paragraph("time", `${about} ${formatDuration(expected_s)}`),
    ...(limit === null ? [] : paragraph("limit", limit)),
    ...paragraph("disk", `${about} ${formatSize(expected_bytes)} of results`),
  ];
}
