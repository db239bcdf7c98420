// The link that was requested and what the shaper did in the loads shown: packets, drops, queue peak, lateness.
import { html, type Markup } from "../../../extension/figures/markup.ts";
import type { LinkProfile } from "../../../schemas/generated/link_profile.ts";
import type { LoadFacts } from "../../../schemas/generated/page_load.ts";
import { linkSentence } from "../../link/label.ts";
import { describeLink } from "../../link/link.ts";
import { figures } from "../../registry/units.ts";
import { numberAt } from "./unknown_json.ts";

export interface ShapedLoad {
  readonly id: number;
  readonly lane: string;
  readonly facts: LoadFacts;
}

/** Three digits, in the unit that its column names. */
const inUnit = (value: number | null, unit: number): string => (value === null ? "–" : figures(value / unit));

function directionRow(load: ShapedLoad, direction: "down" | "up"): Markup {
  const report = load.facts.shaper;
  const number = (...path: string[]): number | null => numberAt(report, direction, ...path);
  const plain = (value: number | null): string => (value === null ? "–" : String(value));
  const bytes = number("bytes_out");
  const peak_bytes = number("queue_peak_bytes");
  return html`<tr><th scope="row">${load.lane} ${direction}</th><td class="num">${plain(number("packets_in"))}</td><td class="num">${inUnit(bytes, 1000)}</td><td class="num">${plain(number("drops", "queue"))}</td><td class="num">${plain(number("drops", "loss"))}</td><td class="num">${plain(number("queue_peak_packets"))}</td><td class="num">${inUnit(peak_bytes, 1000)}</td><td class="num">${inUnit(number("late_ns", "p50"), 1e6)}</td><td class="num">${inUnit(number("late_ns", "p99"), 1e6)}</td><td class="num">${inUnit(number("late_ns", "max"), 1e6)}</td></tr>`;
}

/** What only some links do, in words; shown if it happened. */
const furtherCounts: readonly (readonly [readonly string[], string])[] = [
  [["drops", "aqm"], "dropped to keep the queue short"],
  [["marked_packets"], "marked to keep the queue short"],
  [["drops", "off"], "lost while the link was off"],
  [["drops", "udp"], "of UDP refused"],
  [["drops", "moved"], "lost on the link that was switched from"],
  [["drops", "unbound"], "for an address or port that the NAT had given up"],
  [["copied_packets"], "duplicated"],
  [["reordered_packets"], "reordered"],
  [["fec", "parity_packets"], "sent as parity"],
  [["fec", "repaired_packets"], "lost and repaired"],
  [["fec", "failed_groups"], "groups beyond repair"],
];

/** `h3 down: 12 lost while the link was off, 3 duplicated`; empty where nothing of the kind happened. */
function furtherLine(load: ShapedLoad, direction: "down" | "up"): string {
  const counts = furtherCounts.flatMap(([path, words]) => {
    const count = numberAt(load.facts.shaper, direction, ...path);
    return count === null || count === 0 ? [] : [`${count} ${words}`];
  });
  return counts.length === 0 ? "" : `${load.lane} ${direction}: ${counts.join(", ")}`;
}

/** `isExplained`: with what the table has. */
export function linkFacts(profile: LinkProfile, loads: readonly ShapedLoad[], isExplained = true): Markup {
  const reported = loads.filter((load) => load.facts.shaper !== null);
  const { name } = describeLink(profile);
  const planned = html`<p><b>Link:</b> ${name === null ? "" : `${name}: `}${linkSentence(profile)}.</p>`;
  if (reported.length === 0)
    return html`${planned}<p>What the shaper did is unavailable: no load shown here has its report.</p>`;
  const further = reported.flatMap((load) => [furtherLine(load, "down"), furtherLine(load, "up")]).filter(Boolean);
  const explained =
    isExplained &&
    html`<p class="soft">What the shaper did in these loads. Late: how long after its time in the model a packet left.</p>`;
  const heads = [
    "packets in",
    "kB out",
    "queue drops",
    "losses",
    "queue peak",
    "peak, kB",
    "late p50, ms",
    "p99",
    "max",
  ];
  return html`${planned}${explained}<div class="scroll"><table class="facts"><thead><tr><th scope="col">direction</th>${heads.map((head) => html`<th scope="col" class="num">${head}</th>`)}</tr></thead><tbody>${reported.flatMap((load) => [directionRow(load, "down"), directionRow(load, "up")])}</tbody></table></div>${further.length > 0 && html`<p class="soft">Besides, in packets: ${further.join("; ")}.</p>`}`;
}
