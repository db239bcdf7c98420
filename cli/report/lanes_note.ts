// What the lanes of a report are, and what their loads did where a lane leaves that open: on which protocols the answers
// came, how many connections of a repeat visit resumed, which were opened for nothing. Nothing where there are only the plain lanes.
import { html, type Markup } from "../../extension/figures/markup.ts";
import type { LoadFacts } from "../../schemas/generated/page_load.ts";
import { isRepeat, type Lane, labelParts, laneFacts, laneTitle, plainLanes } from "../base/lanes.ts";
import { count } from "../base/numbers.ts";
import type { ShownFacts } from "./data.ts";

/** `h2 21 (70 %), h3 9 (30 %)`. */
function protocolMix(facts: readonly LoadFacts[]): string {
  const counts = new Map<string, number>();
  for (const [protocol, requests] of facts.flatMap((each) => Object.entries(each.protocols ?? {})))
    counts.set(protocol, (counts.get(protocol) ?? 0) + requests);
  const total = [...counts.values()].reduce((sum, requests) => sum + requests, 0);
  return [...counts]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([protocol, requests]) => `${protocol} ${requests} (${Math.round((requests / total) * 100)} %)`)
    .join(", ");
}

function repeatStory(facts: readonly LoadFacts[]): string {
  const visits = facts.flatMap(({ repeat }) => (repeat ? [repeat] : []));
  const sum = (of: (visit: (typeof visits)[number]) => number) => visits.reduce((all, visit) => all + of(visit), 0);
  const connections = sum((visit) => visit.connections);
  const kept = visits.some(({ cache }) => cache === "kept");
  return (
    `of ${count(connections, "connection")} ${sum((visit) => visit.resumed)} resumed, ` +
    `${sum((visit) => visit.early_data)} with early data; the first visit's cache ${kept ? "kept" : "emptied"}`
  );
}

/** `11 connections over h2 opened and not used`; of several loads all of them; empty: none, or not known. */
function unusedStory(facts: readonly LoadFacts[]): string {
  const parts = (["h1", "h2", "h3"] as const).flatMap((protocol) => {
    const opened = facts.reduce((all, { counts }) => all + (counts.unused_connections?.[protocol] ?? 0), 0);
    return opened === 0 ? [] : [`${count(opened, "connection")} over ${protocol}`];
  });
  return parts.length === 0 ? "" : `${parts.join(", ")} opened and not used`;
}

function lanesRow(label: string, facts: readonly ShownFacts[]): Markup {
  const seen = facts.filter((each) => each.label === label);
  const parts = [protocolMix(seen), isRepeat(label) ? repeatStory(seen) : "", unusedStory(seen)]
    .filter(Boolean)
    .join("; ");
  return html`<tr><th scope="row">${label}</th><td>${laneTitle(label)}</td><td>${parts || "no load looked at"}</td></tr>`;
}

const notes: readonly { readonly of: (lane: Lane) => boolean; readonly text: string }[] = [
  {
    of: (lane) => laneFacts[lane].repeat,
    text:
      "A repeat visit is the second load of one browser. Before it every connection is closed and every name forgotten; the " +
      "cache, cookies and storage go too unless they were asked to be kept; what lets connections resume stays, and so do the " +
      "browser's own processes, which a first visit has to warm up. The link's counters and captures are of both visits.",
  },
  {
    of: (lane) => laneFacts[lane].clear,
    text:
      "Without TLS each https:// request is sent to http:// as it leaves the browser, and the page does not see it: this holds " +
      "requests up, measured on two cores by some 10 ms for the page's own and up to 20 ms for what it names first, and no " +
      "connection is opened early, which can cost one round trip, or two (DNS, TCP) where the page asked for one to another host.",
  },
  {
    of: (lane) => laneFacts[lane].quic === "alt-svc",
    text:
      "Chromium does not leave an open HTTP/2 connection for the HTTP/3 it has learnt of: on a first visit only requests that " +
      "need a further connection change over. Firefox changes over at once.",
  },
];

export function lanesNote(names: Iterable<string>, facts: readonly ShownFacts[]): Markup | null {
  const labels = [...names].filter((name) => labelParts(name) !== null);
  if (labels.every((label) => plainLanes.some((plain) => plain === label))) return null;
  const lanes = labels.flatMap((label) => labelParts(label)?.lane ?? []);
  return html`<h3>Lanes</h3><table class="facts"><thead><tr><th scope="col">lane</th><th scope="col">what it is</th><th scope="col">requests by protocol, in the loads shown in this report</th></tr></thead><tbody>${labels.map((label) => lanesRow(label, facts))}</tbody></table>${notes
    .filter(({ of }) => lanes.some(of))
    .map(({ text }) => html`<p class="soft">${text}</p>`)}`;
}
