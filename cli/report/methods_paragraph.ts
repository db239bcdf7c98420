// The paragraph for a paper's methods section: what was loaded, over what, with what, and how it was summed up. Plain text, made of
// what the loads themselves recorded. Judges nothing.
import type { LoadFacts } from "../../schemas/generated/page_load.ts";
import { linkSentence } from "../link/label.ts";
import { manyPages } from "../stats/many_pages.ts";
import { count } from "../stats/numbers.ts";
import { extremes } from "../stats/quantile.ts";
import { isValid, sortLanes } from "../stats/sample.ts";
import { untilWords } from "../stats/settlement.ts";
import { reasonKind } from "../stats/verdict.ts";
import type { ReportData } from "./data.ts";
import { hostsOf } from "./hosts.ts";
import { citation } from "./method.ts";
import { field } from "./unknown_json.ts";

/** More are counted, not named. */
const mostNamed = 8;

function listed(names: readonly string[], noun: string): string {
  return names.length <= mostNamed ? `${count(names.length, noun)} (${names.join(", ")})` : count(names.length, noun);
}

/** What all loads say alike, else all that they say. */
function alike(facts: readonly LoadFacts[], text: (facts: LoadFacts) => string): string {
  return [...new Set(facts.map(text))].join(" or ");
}

function machineSentence(facts: readonly LoadFacts[], hosts: number): string {
  const version = (name: string): string =>
    alike(facts, ({ environment: { versions } }) => versions[name] ?? "unknown");
  const machine = alike(facts, ({ environment: e }) => `${e.cpu}, ${count(e.cpus, "CPU")}, Linux ${e.kernel}`);
  const pairs = hosts > 1 ? "; lanes of a page on a link always on one of them" : "";
  return `Pages were loaded in Chromium ${version("chromium")} (headless, a fresh profile for each load) on ${hosts > 1 ? `${hosts} machines` : "one machine"} (${machine})${pairs}.`;
}

function serverSentence(facts: readonly LoadFacts[]): string {
  const products = ["quiche", "nghttp2", "boringssl"].flatMap((name) => {
    const known = facts.map(({ environment }) => environment.versions[name]).find((version) => version !== undefined);
    return known === undefined ? [] : [`${name} ${known}`];
  });
  const side = (kind: "tcp" | "quic"): string =>
    alike(facts, ({ replay }) => {
      const transport = field(replay, "transport", kind);
      const control = String(field(transport, "congestion_control") ?? "unknown");
      const window = String(field(transport, "initial_window_packets") ?? "unknown");
      return `${control}, initial window ${window} packets, ${field(transport, "pacing") === true ? "paced" : "not paced"}`;
    });
  return `Recordings were replayed from local servers (${products.join(", ") || "versions unknown"}) at their recorded addresses, with TCP running ${side("tcp")}, and QUIC ${side("quic")}.`;
}

function linkSentences(data: ReportData): string {
  const profiles = new Map(data.cells.map((cell) => [cell.link, cell.link_profile]));
  const [only] = profiles.values();
  const links = profiles.size === 1 && only ? `one link (${linkSentence(only)})` : listed([...profiles.keys()], "link");
  const tests = data.linkTests.filter(({ test }) => profiles.has(test.link));
  if (tests.length === 0) return `A user-space shaper emulated ${links}; the links were not measured beforehand.`;
  const errors = (quantity: string, relative: boolean): number[] =>
    tests.flatMap(({ test }) =>
      test.rows.flatMap((row) =>
        row.quantity === quantity && typeof row.asked === "number" && typeof row.measured === "number"
          ? [Math.abs(row.measured - row.asked) / (relative && row.asked !== 0 ? row.asked : 1)]
          : [],
      ),
    );
  const delay = extremes(errors("delay", false))?.greatest;
  const rate = extremes(errors("rate", true))?.greatest;
  const measured = [
    ...(delay === undefined ? [] : [`one-way delays within ${delay.toFixed(3)} ms`]),
    ...(rate === undefined ? [] : [`rates within ${(rate * 100).toFixed(2)} %`]),
  ];
  const found = measured.length === 0 ? "" : ` (${measured.join(", ")})`;
  const out = tests.filter(({ test }) => test.outcome === "out").length;
  const judged = out === 0 ? "all were within tolerance" : `${out} were out of tolerance, and their loads left out`;
  return `A user-space shaper emulated ${links}; each was measured before its loads, and ${judged}${found}.`;
}

function loadSentence({ sweep, cells, loads }: ReportData): string {
  const { repetitions, until, retries } = sweep.plan;
  const lanes = sortLanes(cells.map(({ lane }) => lane));
  const asked = until ? `at most ${repetitions} times, ${untilWords(until)}` : count(repetitions, "time");
  const left = loads.filter((load) => !isValid(load));
  const kinds = [...new Set(left.map(({ reasons }) => reasonKind(reasons[0] ?? "no page load time")))];
  const leftOut =
    left.length === 0
      ? "none was left out"
      : `${left.length} were left out as not what was asked (${kinds.slice(0, 3).join("; ")}) and tried again up to ${count(retries ?? 0, "time")}`;
  return `Each page was loaded over ${lanes.join(", ")} on each link ${asked}, lanes next to each other in blocks in random order (seed ${sweep.seed}). Of ${count(loads.length, "load")} ${leftOut}.`;
}

const statistics = (pages: number): string =>
  `Page load time is loadEventEnd - navigationStart (Navigation Timing). Improvement is (a - b) / a of medians${
    pages >= manyPages ? " over pages" : ""
  }; 95 % intervals are from order statistics on one page and link (Hettmansperger and Sheather 1986), over several by percentile bootstrap over whole ${pages >= manyPages ? "pages" : "blocks"}.`;

/** One paragraph, and the sentence to cite. */
export function methodsParagraph(data: ReportData): string {
  const facts = [...data.facts.values()];
  const pages = [...new Set(data.cells.map((cell) => cell.page))];
  const sentences = [
    ...(facts.length > 0 ? [machineSentence(facts, hostsOf(data.cells).length), serverSentence(facts)] : []),
    linkSentences(data),
    `The study has ${listed(pages, "page")}.`,
    loadSentence(data),
    statistics(pages.length),
    ...(data.sweep.plan.reference ? [`It follows ${data.sweep.plan.reference}.`] : []),
  ];
  return `${sentences.join(" ")}\n\n${citation(data)}`;
}
