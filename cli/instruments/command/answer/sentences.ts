// What runs of commands come to, in sentences, the answer first: which command takes less time, by how much, how sure; what their numbers
// say; what failed. Pure: text out, no colour.

import { count, formatTime, formatTimeRange } from "../../../base/numbers.ts";
import { figures } from "../../../registry/units.ts";
import { isProbable, percentsOf, surenessNote, unitsText } from "../../../results/answer/contrast.ts";
import { equalEvidence, withinWords } from "../../../results/answer/judged.ts";
import { stoppingSentences } from "../../../results/answer/rule_outcome.ts";
import { type CommandRun, quantitiesOf } from "../metrics/values.ts";
import type { StoredCommandPlan } from "../plan/stored_plan.ts";
import {
  type ComparedCell,
  type ComparedCommands,
  commandStopping,
  compareCommands,
  timeQuantity,
} from "./comparison.ts";
import { summarizeCommands } from "./summary.ts";

/** More are the report's to show. */
const mostComparisons = 8;
const mostAlone = 6;
const mostFailures = 4;

/** What a command takes, a number of it is. */
const isOf = { takes: "is", took: "was", "probably takes": "is probably" } as const;

/** `new takes 120 ms (9 %, 95 %: 5 to 12) less than old (n = 10 runs)`. */
function clauseOf(compared: ComparedCommands, until: StoredCommandPlan["until"]): string {
  const { one, other, quantity, found, difference } = compared;
  const { size, range } = percentsOf(found);
  const word = found.ratio <= 1 ? "less" : "more";
  const units = unitsText(found, "run");
  const isTime = quantity.metric !== null;
  const amount = isTime ? formatTime(Math.abs(difference)) : figures(Math.abs(difference));
  const what = isTime ? "" : `, ${quantity.title}`;
  const of = (verb: keyof typeof isOf): string =>
    isTime ? `${one} ${verb}` : `${quantity.title} of ${one} ${isOf[verb]}`;
  const than = isTime ? other : `that of ${other}`;
  switch (found.shown) {
    case "unknown":
      return `${of("took")} ${amount} (${size} %) ${word} than ${than} (${units})`;
    case "equal":
      return `${one} and ${other} take equally long, ${withinWords(until)} ${equalEvidence(found, `${range} % ${word}`, "run")}`;
    case "none":
      if (isProbable(found))
        return `${of("probably takes")} ${amount} (${size} %, 95 %: ${range}) ${word} than ${than} (${units})`;
      return `${one} against ${other}${what}: no difference shown (95 %: ${range} % ${word}; ${units})`;
    default:
      return `${of("takes")} ${amount} (${size} %, 95 %: ${range}) ${word} than ${than} (${units})`;
  }
}

function aloneSentences(
  cells: readonly ComparedCell[],
  runs: readonly CommandRun[],
  prefix: (link: string | null) => string,
): string[] {
  return summarizeCommands(cells, runs)
    .slice(0, mostAlone)
    .flatMap(({ command, link, metrics, valid }) => {
      const time = metrics.find(({ name, printed }) => name === "wall_ms" && !printed);
      if (!time || time.median === null) return [];
      const { median, low, high } = time;
      const range = low !== null && high !== null ? formatTimeRange({ low, high }) : "";
      return [
        `${prefix(link)}${command} takes ${formatTime(median)} (${range === "" ? "" : `95 %: ${range}; `}n = ${count(valid, "run")}).`,
      ];
    });
}

function failureSentences(runs: readonly CommandRun[]): string[] {
  const failed = runs.filter(({ status }) => status === "failed");
  const groups = [...Map.groupBy(failed, ({ subject, reasons }) => JSON.stringify([subject, reasons[0]])).values()];
  return groups
    .toSorted((a, b) => b.length - a.length)
    .slice(0, mostFailures)
    .flatMap((of) => {
      const [first] = of;
      const all = runs.filter(({ subject }) => subject === first?.subject).length;
      return first
        ? [
            `${first.subject}: ${of.length} of ${count(all, "run")} failed: ${first.reasons[0] ?? "no reason was given"}.`,
          ]
        : [];
    });
}

/** The answer first. Empty if no run is valid and none failed. `isFinished`: false, the sweep may be resumed. */
export function commandSentences(
  plan: Pick<StoredCommandPlan, "until" | "time_limit_s" | "repetitions">,
  cells: readonly ComparedCell[],
  runs: readonly CommandRun[],
  isFinished = true,
): string[] {
  const prefix = (link: string | null): string =>
    new Set(cells.map((cell) => cell.link)).size > 1 && link !== null ? `${link}: ` : "";
  const quantities = [timeQuantity, ...quantitiesOf(runs).filter(({ metric }) => metric === null)];
  const compared = compareCommands(plan, cells, runs, quantities);
  const mentioned = compared.slice(0, mostComparisons);
  const rest = compared.length - mentioned.length;
  const note = surenessNote(
    mentioned.map(({ found }) => found).filter(({ shown }) => shown === "none"),
    "runs",
  );
  return [
    ...mentioned.map((each) => `${prefix(each.link)}${clauseOf(each, plan.until)}.`),
    ...(note === null ? [] : [note]),
    ...(rest > 0 ? [`${count(rest, "more comparison")}: see the report.`] : []),
    ...(compared.length === 0 ? aloneSentences(cells, runs, prefix) : []),
    ...stoppingSentences(commandStopping(plan, cells, runs, isFinished)),
    ...failureSentences(runs),
  ];
}
