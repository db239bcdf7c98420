// One fact that should be the same in all loads shown, and what it was where it is not.
import { html, type Markup } from "../../extension/figures/markup.ts";
import type { LoadFacts } from "../../schemas/generated/page_load.ts";
import { count } from "../base/numbers.ts";

/** The different texts of one kind among all loads shown, with how many loads each: a sweep may have run on two kernels. */
export function variants(facts: readonly LoadFacts[], text: (facts: LoadFacts) => string): Markup {
  const counts = new Map<string, number>();
  for (const each of facts) counts.set(text(each), (counts.get(text(each)) ?? 0) + 1);
  if (counts.size === 1) return html`${[...counts.keys()]}`;
  return html`${[...counts].map(([value, times]) => html`<div>${value} <small>(${count(times, "load")} of ${String(facts.length)} looked at)</small></div>`)}`;
}
