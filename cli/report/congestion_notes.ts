// What a reader who knows TCP's CUBIC would not expect of QUIC's congestion control: quiche's own, and ours
// (native-host/congestion/cubic_n.c).
import { html, type Markup } from "../../extension/figures/markup.ts";
import type { LoadFacts } from "../../schemas/generated/page_load.ts";
import { count } from "../base/numbers.ts";
import { extremes, median } from "../base/quantile.ts";
import { livesOnAcks, rateControllers, settleServing } from "../load/serving/serving.ts";
import type { ShownFacts } from "./data.ts";
import { field, type Json, numberAt } from "./figures/unknown_json.ts";

const quicOf = ({ replay }: LoadFacts, name: string): unknown => field(replay, "transport", "quic", name);

function takenBackNote(facts: readonly LoadFacts[]): Markup | null {
  if (!facts.some((each) => quicOf(each, "reductions_taken_back") === true)) return null;
  return html`<p>Both sides run CUBIC, but not the same one: quiche undoes a window reduction if fewer than a fifth of the window's packets were lost, and Linux's TCP does not. On a link with random loss, part of h3's gain over h2 comes from this, not from the protocol (<code>--quic-congestion cubic-n1</code> takes nothing back).</p>`;
}

const kept = (flows: number): string => ((flows - 1 + 0.7) / flows).toFixed(3).replace(/0+$/, "");

function flowsNote(facts: readonly LoadFacts[]): Markup | null {
  const names = new Set(facts.map((each) => String(quicOf(each, "congestion_control"))));
  const flows = [...names].flatMap((name) => /^cubic-n(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  if (flows.length === 0) return null;
  const each = flows.map((n) => `cubic-n${n} is CUBIC as ${count(n, "flow")}, and keeps ${kept(n)} of its window`);
  return html`<p>After a loss ${each.join("; ")}. No reduction is undone.${flows.includes(1) && " cubic-n1 is RFC 9438's CUBIC, which reacts to loss as TCP's CUBIC does."}</p>`;
}

function ratesNote(facts: readonly LoadFacts[]): Markup | null {
  const names = new Set(facts.map((each) => String(quicOf(each, "congestion_control"))));
  const each = Object.entries(rateControllers).flatMap(([name, note]) => (names.has(name) ? [note] : []));
  if (each.length === 0) return null;
  return html`<p>${each.join(" ")} It learns arrivals from the browser's plain acknowledgements.</p>`;
}

/** Fewer packets than this are mostly a connection's first, of which every browser acknowledges every second one. */
const fewPackets = 20;

/** Packets of the server for each one that acknowledged, over a load's connections; null: none was long enough. */
function packetsPerAck({ replay }: LoadFacts): number | null {
  const connections = field(replay, "connections");
  if (!Array.isArray(connections)) return null;
  const counted = (connections as readonly Json[]).flatMap((connection) => {
    const [packets, acks] = [numberAt(connection, "acks", "packets"), numberAt(connection, "acks", "acks")];
    return packets !== null && acks !== null && packets >= fewPackets && acks > 0 ? [{ packets, acks }] : [];
  });
  if (counted.length === 0) return null;
  return counted.reduce((sum, { packets }) => sum + packets, 0) / counted.reduce((sum, { acks }) => sum + acks, 0);
}

/** "2.1 packets for each acknowledgement (1.9 to 3.0 over 12 loads)". */
function cadenceWords(facts: readonly LoadFacts[]): string | null {
  const found = facts.flatMap((each) => packetsPerAck(each) ?? []);
  const ends = extremes(found);
  if (!ends) return null;
  const span = `${ends.least.toFixed(1)} to ${ends.greatest.toFixed(1)} over ${found.length} loads`;
  return `${median(found).toFixed(1)} packets for each acknowledgement${found.length > 1 ? ` (${span})` : ""}`;
}

/** Of Sprout-EWMA, and of all that is compared with it: how often browsers acknowledged, as the servers counted it. */
function acksNote(facts: readonly ShownFacts[]): Markup | null {
  const controls = facts.map((each) => String(quicOf(each, "congestion_control")));
  const ours = [...new Set(controls.filter(livesOnAcks))];
  const frequent = facts.some(({ serving }) => settleServing(serving).client_acks === "frequent");
  if (ours.length === 0 && !frequent) return null;
  const cadences = [...Map.groupBy(facts, ({ label }) => label)].flatMap(([label, group]) => {
    const words = cadenceWords(group);
    return words === null ? [] : [`on ${label} ${words}`];
  });
  const counts = cadences.length > 0 ? `the servers counted ${cadences.join(", ")}` : "no server counted them";
  const way = frequent
    ? "On all lanes alike, browsers held acknowledgements back for 1 ms at most"
    : "Browsers acknowledged as they do";
  const what =
    ours.length > 0 &&
    html`${ours.join(" and ")}: Sprout-EWMA (Das 2014), a window by the rate at which packets arrive, unpaced and without reaction to loss. All that it knows of arrivals are acknowledgements: the fewer there are, the less of a fast link it uses. `;
  return html`<p>${what}${way}; ${counts}.</p>`;
}

/** Nothing where QUIC ran another controller, or none was reported. */
export function congestionNotes(facts: readonly ShownFacts[]): Markup {
  return html`${takenBackNote(facts)}${flowsNote(facts)}${ratesNote(facts)}${acksNote(facts)}`;
}
