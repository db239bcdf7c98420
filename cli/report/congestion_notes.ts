// What a reader who knows TCP's CUBIC would not expect of QUIC's congestion control: quiche's own, and ours
// (native-host/congestion/cubic_n.c).
import { html, type Markup } from "../../extension/figures/markup.ts";
import type { LoadFacts } from "../../schemas/generated/page_load.ts";
import { count } from "../base/numbers.ts";
import { rateControllers } from "../load/serving/rate_controllers.ts";
import { field } from "./figures/unknown_json.ts";

const quicOf = ({ replay }: LoadFacts, name: string): unknown => field(replay, "transport", "quic", name);

function takenBackNote(facts: readonly LoadFacts[]): Markup | null {
  if (!facts.some((each) => quicOf(each, "reductions_taken_back") === true)) return null;
  return html`<p>Both sides run CUBIC, but not the same one: quiche's takes a reduction of its window back when fewer than a fifth of the window's packets were lost, and Linux's TCP does not. On a link with random loss, part of what h3 gains over h2 is this, not the protocol (<code>--quic-congestion cubic-n1</code> takes nothing back).</p>`;
}

const kept = (flows: number): string => ((flows - 1 + 0.7) / flows).toFixed(3).replace(/0+$/, "");

function flowsNote(facts: readonly LoadFacts[]): Markup | null {
  const names = new Set(facts.map((each) => String(quicOf(each, "congestion_control"))));
  const flows = [...names].flatMap((name) => /^cubic-n(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  if (flows.length === 0) return null;
  const each = flows.map((n) => `cubic-n${n} is CUBIC as ${count(n, "flow")}, and keeps ${kept(n)} of its window`);
  return html`<p>After a loss ${each.join("; ")}. No reduction is taken back.${flows.includes(1) && " cubic-n1 is RFC 9438's CUBIC, which reacts to loss as TCP's CUBIC does."}</p>`;
}

function ratesNote(facts: readonly LoadFacts[]): Markup | null {
  const names = new Set(facts.map((each) => String(quicOf(each, "congestion_control"))));
  const each = Object.entries(rateControllers).flatMap(([name, note]) => (names.has(name) ? [note] : []));
  if (each.length === 0) return null;
  return html`<p>${each.join(" ")} What it knows of arrivals are the browser's plain acknowledgements.</p>`;
}

/** Nothing where QUIC ran another controller, or none was reported. */
export function congestionNotes(facts: readonly LoadFacts[]): Markup {
  return html`${takenBackNote(facts)}${flowsNote(facts)}${ratesNote(facts)}`;
}
