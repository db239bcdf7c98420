// A study's numbers beside ours, in words. Pure.
import { textTable } from "../../base/text_table.ts";
import type { ComparedNumber } from "./study.ts";

const figures = (value: number, digits = 3): string => String(Number(value.toPrecision(digits)));

/** `2.41 (2.2 to 2.6)`, with one digit more where both ends would read the same; or why there is none. */
export function oursText({ value, interval, reason }: ComparedNumber): string {
  if (value === null) return reason ?? "no number";
  if (!interval) return figures(value);
  const digits = figures(interval.low) === figures(interval.high) ? 4 : 3;
  const [middle, low, high] = [value, interval.low, interval.high].map((each) => figures(each, digits));
  return `${middle} (${low} to ${high})`;
}

/** `> 1`, `< 1`: what the study's sign is beside; `1 ± 25 %`. */
export function besideText({ figure: { sign, beside, within = 0 } }: ComparedNumber): string {
  return sign === 0 ? `${figures(beside)} ± ${figures(within * 100)} %` : `${sign > 0 ? ">" : "<"} ${figures(beside)}`;
}

/** For the terminal: under each link what was published, and ours. */
export function comparedLines(compared: readonly ComparedNumber[]): string[] {
  const byLink = Map.groupBy(compared, ({ figure }) => figure.link);
  return [...byLink].flatMap(([link, its]) => [
    link,
    ...its.flatMap((each) => [
      `  ${each.figure.what}`,
      ...textTable([["", `published ${each.figure.published}`, `ours ${oursText(each)}`, each.agreement]]).map(
        (line) => `   ${line.trimEnd()}`,
      ),
    ]),
  ]);
}
