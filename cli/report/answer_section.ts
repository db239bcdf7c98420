// The report's answer in words: the sentence, why, how sure, and one box about loads that do not count; further down what else the loads
// say, and with what and where they were measured. Takes the answer and the verdict, computes neither.
import { html, type Markup } from "../../extension/figures/markup.ts";
import type { LinkProfile } from "../../schemas/generated/link_profile.ts";
import type { SweepPlan } from "../../schemas/generated/sweep_plan.ts";
import type { LaneLabel } from "../base/lanes.ts";
import { count, withMinus } from "../base/numbers.ts";
import { traitsByLink } from "../link/link.ts";
import { trafficSentence } from "../load/cross_traffic.ts";
import { liveSentence } from "../load/servers/servers.ts";
import { laneServing, settleServing } from "../load/serving/serving.ts";
import { servingLine } from "../load/serving/terms.ts";
import { furtherSentence } from "../results/answer/answer.ts";
import { dilationSentence } from "../results/answer/dilated_sweeps.ts";
import { browserNames, browsersOf } from "../results/verdict/browsers.ts";
import { samplesOf } from "../results/verdict/compared_metric.ts";
import { controllerLanes, controllerSentences, type LaneControllers } from "../results/verdict/controller_part.ts";
import { gainsByRtt } from "../results/verdict/gains_by_link_and_rtt.ts";
import { decidedWithin, type StoppingSummary, stoppingSentence } from "../results/verdict/load_stopping_outcome.ts";
import { isValid, type Sample, sortLanes } from "../results/verdict/sample.ts";
import { type PairVerdict, type SweepVerdict, winsLine } from "../results/verdict/sweep_verdict.ts";
import type { ReportData } from "./data.ts";
import { rttFigure } from "./figures/rtt_lines.ts";
import { linkEffects } from "./link_effects.ts";

// How much of h3's gain over h2 is its controller: which lanes a plan has for that, and what their loads say.
type ServedPlan = Pick<SweepPlan, "lanes" | "serving" | "settings">;

function controllersOf(plan: ServedPlan, label: LaneLabel): LaneControllers {
  const serving = laneServing(plan, label);
  const { tcp, quic } = serving.transport;
  const { congestion_control, ...quicOthers } = quic;
  // What the settings were made from says nothing that they do not.
  const others = { ...serving, transport: { tcp, quic: quicOthers } };
  return { tcp: tcp.congestion_control, quic: congestion_control, others: JSON.stringify(others) };
}

/** Null where the plan has not both controllers of h3 beside h2, or no page has loads of all. */
export function controllerNote(plan: ServedPlan, samples: readonly Sample[], seed: number): Markup | null {
  const lanes = controllerLanes(plan.lanes, (label) => controllersOf(plan, label));
  const sentences = lanes && controllerSentences(samples, lanes, seed);
  if (!sentences) return null;
  return html`<p class="controller"><b>How much is the controller:</b> ${withMinus(sentences.join(" "))}</p>`;
}

/** A number and its unit stand in one line, in a headline as wide as any. */
function unbroken(sentence: string): (Markup | string)[] {
  return withMinus(sentence)
    .split(/((?:−?\d[\d.]* to )?(?:−?\d[\d.]*|≥) (?:%|ms|s|Mbit\/s|kbit\/s)(?![\w/])\)?)/)
    .map((part, at) => (at % 2 ? html`<span class="whole">${part}</span>` : part));
}

/** Options of the command line stand out, and are not broken after their first hyphen. */
function withOptions(text: string): (Markup | string)[] {
  return text
    .split(/(--[a-z-]+(?: (?:\d+|[A-Z]+|model))?)/)
    .map((part, at) => (at % 2 ? html`<code>${part}</code>` : part));
}

/** `2026-11-23 · Chromium 156.0.7000.1 · Example CPU, 2 CPUs, Linux 6.18.5 · Trilane 0.2.0` */
export function stampLine({ sweep, loads, facts, version }: ReportData): string {
  const began = sweep.created_at.slice(0, 10);
  const ended = sweep.finished_at?.slice(0, 10) ?? began;
  const shown = [...facts.values()].map(({ environment }) => environment);
  const known = browserNames(browsersOf(loads));
  const browsers = known.length > 0 ? known : shown.flatMap(({ versions }) => versions.browser ?? []);
  const machines = shown.map(({ cpu, cpus, kernel }) => `${cpu}, ${count(cpus, "CPU")}, kernel ${kernel}`);
  const only = (names: readonly string[], several: string): string | null => {
    const different = [...new Set(names)];
    return different.length > 1 ? `${different.length} ${several}` : (different[0] ?? null);
  };
  return [
    began === ended ? began : `${began} to ${ended}`,
    only(browsers, "browsers"),
    only(machines, "machines"),
    `Trilane ${version}`,
  ]
    .filter((part) => part !== null)
    .join(" · ");
}

/** Cells without a valid load: the answer is without them. */
function emptyCellsLine({ cells, loads }: ReportData): Markup | null {
  const tried = new Set(loads.map((load) => load.cell));
  const valid = new Set(loads.filter(isValid).map((load) => load.cell));
  const empty = cells.filter(({ id }) => tried.has(id) && !valid.has(id)).length;
  if (empty === 0) return null;
  if (empty === cells.length) return html`No cell has a valid load.`;
  return html`${count(empty, "cell")} (page, link and lane) of ${String(cells.length)} ${empty === 1 ? "has" : "have"} no valid load.`;
}

function unfinishedLine({ sweep, cells, loads }: ReportData): Markup | null {
  if (sweep.finished_at !== null) return null;
  const { repetitions, until } = sweep.plan;
  return html`This sweep is not finished: ${count(loads.filter(isValid).length, "valid load")} of ${until ? "at most " : ""}${String(cells.length * repetitions)} so far.`;
}

/** All that keeps the answer from resting on every planned load, in one box; null: it rests on all. */
function lossesBox(data: ReportData): Markup | null {
  const { left } = data.answer;
  const lines = [unfinishedLine(data), emptyCellsLine(data)].filter((line) => line !== null);
  if (left === null && lines.length === 0) return null;
  const warning = left?.warning ?? null;
  const reasons = left !== null && html` <a href="#excluded">Which, and why</a>.`;
  const body =
    warning === null
      ? html`${left?.line}${reasons}`
      : html`<b>${warning.line}</b> ${withOptions(warning.remedy)}${reasons}`;
  return html`<p class="${warning === null ? "excluded" : "banner"}" role="note">${lines.map((line) => html`${line} `)}${body}</p>`;
}

/** What decides a verdict as much as the link does, where it is not as by default. */
function termsMarkup(plan: SweepPlan, modelled: readonly string[], settled: StoppingSummary | null): Markup | null {
  const served = servingLine(settleServing(plan.serving));
  const sentences = [
    settled && stoppingSentence(settled),
    served === "" ? null : `Served with ${served}.`,
    dilationSentence(plan),
    liveSentence(plan),
    trafficSentence(plan),
    ...modelled,
  ].filter((sentence) => sentence !== null);
  return sentences.length === 0 ? null : html`${sentences.map((sentence) => html`<p class="scope">${sentence}</p>`)}`;
}

/** `Why:` stands out. */
function headed(line: string | null, name: string): Markup | null {
  if (line === null) return null;
  const [head = "", ...rest] = line.split(": ");
  return html`<p class="${name}"><b>${head}:</b> ${withMinus(rest.join(": "))}</p>`;
}

/** The sentence, why, how sure, and the box. */
export function answerMarkup(data: ReportData): Markup {
  const { answer } = data;
  return html`<div class="verdict"><p class="answer">${unbroken(answer.sentence)}</p>${headed(answer.why, "why")}${headed(answer.sure, "sure")}</div>
${lossesBox(data)}`;
}

interface Comparisons {
  readonly verdict: SweepVerdict;
  /** What is said of modelled pages. */
  readonly modelled: readonly string[];
  readonly profiles: ReadonlyMap<string, LinkProfile>;
  readonly settled: StoppingSummary | null;
}

/** More lines than these cover one another: then the answer's pair alone. */
const mostLines = 3;

/** The gain of each pair over RTT; null: links have one RTT. */
function rttLines(
  { sweep, cells }: ReportData,
  pairs: readonly PairVerdict[],
  first: PairVerdict | undefined,
): Markup | null {
  const shown = pairs.length <= mostLines || !first ? pairs.slice(0, mostLines) : [first];
  return rttFigure(gainsByRtt(shown, traitsByLink(cells), sweep.seed));
}

/** What else the loads say: the other pairs, link by link, and what decides a verdict as much as the link does. Null: nothing. */
export function comparisonsMarkup(
  data: ReportData,
  { verdict, modelled, profiles, settled }: Comparisons,
): Markup | null {
  const { answer, sweep, cells } = data;
  // Link by link a test would count one look, of loads that stopped by what they showed.
  const isLinkByLink = profiles.size > 1 && decidedWithin(sweep.plan.until) === null;
  const lanes = sortLanes(cells.map(({ lane }) => lane));
  const effects = isLinkByLink ? linkEffects(verdict.pairs, profiles, lanes) : null;
  const wins = (pair: PairVerdict): Markup | null => {
    const line = isLinkByLink && effects === null ? winsLine(pair) : null;
    return line === null ? null : html`<p class="wins">${line}</p>`;
  };
  const first = verdict.pairs.find(({ pair }) => pair.lane === answer.pair?.lane && pair.over === answer.pair.over);
  const lines = isLinkByLink ? rttLines(data, verdict.pairs, first) : null;
  const further = verdict.pairs.flatMap((pair) => {
    const sentence = furtherSentence(pair, answer);
    return sentence === null ? [] : [html`<p>${withMinus(sentence)}</p>${wins(pair)}`];
  });
  // The figure says the same.
  const drawn = new Set(
    lines === null
      ? []
      : verdict.pairs.flatMap(({ exploratory }) => (exploratory?.trait === "RTT" ? [exploratory.sentence] : [])),
  );
  const notes = verdict.notes
    .filter((note) => note !== answer.sentence && !drawn.has(note))
    .map((note) => html`<p>${note}</p>`);
  const scope = answer.sure === null ? html`<p class="scope">${verdict.scope}.</p>` : null;
  const parts = [
    first ? wins(first) : null,
    ...further,
    effects,
    lines,
    ...notes,
    controllerNote(sweep.plan, samplesOf(data.stored, data.metric), sweep.seed),
    scope,
    termsMarkup(sweep.plan, modelled, settled),
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : html`<div class="further">${parts}</div>`;
}
