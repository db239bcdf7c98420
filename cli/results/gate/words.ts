// What a gate says: a comparison as a comment on a pull request (Markdown): the answer, three numbers for each
// lane, the request that moved, the budgets, and how often such a comment is wrong. Pure.
import { count, formatTime } from "../../base/numbers.ts";
import { plainCharacters } from "../../base/terminal_text.ts";
import { type ComparedCell, type Comparison, type Regression, regressionOf } from "../compare/comparison.ts";
import type { ComparedNouns } from "../compare/interleaved.ts";
import { changeText, judgementText, type LoadNouns, medianText } from "../compare/words.ts";
import type { BudgetResult } from "./budget.ts";
import { budgetText } from "./budget_outcome.ts";
import type { MovedRequest } from "./moved_request.ts";

/** Text of pages and plans is no Markdown, no HTML and no mention of a person. */
const plain = (raw: string): string =>
  plainCharacters(raw).replaceAll(/[\\`*_[\]<>#|~@]/g, (character) => `\\${character}`);

const placeOf = ({ page, link }: Pick<ComparedCell, "page" | "link">): string => `${plain(page)} over ${plain(link)}`;

const mostRows = 30;
/** Worse cells first, then by how far they moved. */
const rank = { failing: 0, slower: 1, faster: 2, unclear: 3, same: 4, unknown: 5 } as const;

export function mostMoved(cells: readonly ComparedCell[]): readonly ComparedCell[] {
  const far = ({ change_percent }: ComparedCell): number => Math.abs(change_percent ?? 0);
  return cells.toSorted((a, b) => rank[a.judgement] - rank[b.judgement] || far(b) - far(a));
}

function headline(comparison: Comparison, budgets: readonly BudgetResult[], loads: string): string {
  const words: Record<Regression, string> = {
    none: comparison.can_show === "nothing" ? `too few ${loads} for an answer` : "nothing became worse",
    shown: "worse",
    unsure: "perhaps worse",
  };
  const exceeded = budgets.filter(({ outcome }) => outcome === "exceeded").length;
  return [words[regressionOf(comparison)], ...(exceeded > 0 ? [`${count(exceeded, "budget")} exceeded`] : [])].join(
    ", ",
  );
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function answer(cell: ComparedCell, threshold_percent: number, { lane, load, loads }: CommentNouns): string {
  const on = `on ${cell.lane} (${placeOf(cell)})`;
  const change = plain(changeText(cell));
  if (cell.judgement === "failing")
    return `**${capital(loads)} fail more often ${on}: ${plain(judgementText(cell, load))}.**`;
  if (cell.judgement === "slower") return `**Slower ${on}: ${change}.**`;
  if (cell.judgement === "faster") return `**Faster ${on}: ${change}.**`;
  if (cell.judgement === "same")
    return `**No change of more than ${threshold_percent} %; the largest is ${on}: ${change}.**`;
  if (change === "") return `**Nothing to compare: no ${lane} has enough valid ${loads} before and after.**`;
  return `**No change is shown; the largest is ${on}: ${change}.**`;
}

type CommentNouns = LoadNouns & Pick<ComparedNouns, "lane" | "heads">;

interface CommentFacts {
  readonly comparison: Comparison;
  readonly threshold_percent: number;
  /** `page load time` */
  readonly metric: string;
  readonly nouns: CommentNouns;
  readonly moved: { readonly lane: string; readonly request: MovedRequest } | null;
  readonly budgets: readonly BudgetResult[];
  /** Where the report is; null: nowhere that a reader could open. */
  readonly report: string | null;
}

/** At the beginning of every comment, so that a later run finds its own. */
const commentMark = "<!-- trilane compare -->";

function row(cell: ComparedCell, { load }: CommentNouns): string {
  const before = medianText(cell.median_a_ms, cell.loads_a, cell.timed_out_a);
  const after = medianText(cell.median_b_ms, cell.loads_b, cell.timed_out_b);
  return `| ${[placeOf(cell), cell.lane, before, after, plain(changeText(cell)), plain(judgementText(cell, load))].join(" | ")} |`;
}

export function commentText(facts: CommentFacts): string {
  const { comparison, threshold_percent, metric, nouns, moved, budgets, report } = facts;
  const cells = mostMoved(comparison.cells);
  const [first] = cells;
  const shown = cells.slice(0, mostRows);
  const design =
    comparison.design === "one each"
      ? "Each side is one sweep, so that a change may be the occasion's (machine, day)."
      : `Two equal versions are called worse in at most 5 % of such comparisons.`;
  return [
    commentMark,
    `### Trilane: ${headline(comparison, budgets, nouns.loads)}`,
    "",
    ...(first ? [answer(first, threshold_percent, nouns), ""] : []),
    `| ${nouns.heads.join(" | ")} | ${metric} before | after | change (95 % CI) | |`,
    "| --- | --- | ---: | ---: | ---: | --- |",
    ...shown.map((cell) => row(cell, nouns)),
    ...(cells.length > shown.length ? [`| and ${cells.length - shown.length} more | | | | | |`] : []),
    "",
    ...(moved
      ? [
          `- The request that moved most, on ${moved.lane}: \`${plainCharacters(moved.request.name).replaceAll("`", "?").slice(0, 200)}\` took ` +
            `${formatTime(moved.request.before_ms)} before and takes ${formatTime(moved.request.after_ms)}.`,
        ]
      : []),
    ...budgets.map((result) => `- Budget, ${placeOf(result.cell)}, ${result.cell.lane}: ${budgetText(result)}.`),
    `- ${design}`,
    ...(report === null
      ? []
      : [
          "",
          /^https?:\/\//.test(report)
            ? `[Report](${report.replaceAll(/[\s()<>]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`)})`
            : `Report: ${plain(report)}`,
        ]),
    "",
  ].join("\n");
}
