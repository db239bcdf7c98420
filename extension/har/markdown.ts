// A profile in a dozen lines of Markdown, for a ticket or a chat: metrics, requests by protocol, what must be known. Pure.
import type { Profile } from "../../schemas/generated/profile.ts";
import { metricFacts, pageMetrics } from "../capture/metric_facts.ts";

const inMs = (time_ms: number | null): string =>
  time_ms === null
    ? "–"
    : time_ms >= 10_000
      ? `${(time_ms / 1000).toPrecision(3)} s`
      : `${Number(time_ms.toPrecision(3))} ms`;
const inBytes = (bytes: number): string =>
  bytes >= 1_000_000
    ? `${(bytes / 1e6).toPrecision(3)} MB`
    : bytes >= 1000
      ? `${(bytes / 1000).toPrecision(3)} kB`
      : `${bytes} B`;

/** Text that means nothing to Markdown. */
const plain = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll(/[\\`*_{}[\]<>|#]/g, "\\$&");

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

export function markdownSummary({ log }: Profile): string {
  const { _trilane: facts, entries } = log;
  const { metrics } = facts;
  const bytes = entries.reduce((sum, { response }) => sum + response._transferSize, 0);
  const known = pageMetrics.filter((name) => metrics[name] !== undefined);
  const named = known.map((name): [string, string] => {
    const { title, kind } = metricFacts[name];
    const value = metrics[name] ?? null;
    return [title, kind === "score" && value !== null ? value.toFixed(3) : inMs(value)];
  });
  const hosts = facts.h3.filter(({ why }) => why !== "");
  return [
    `**${plain(facts.title || facts.url)}** <${encodeURI(decodeSafely(facts.url))}>`,
    "",
    row(named.map(([name]) => name)),
    row(named.map(() => "---:")),
    row(named.map(([, value]) => value)),
    "",
    row(["Protocol", "Requests", "Received"]),
    row(["---", "---:", "---:"]),
    ...facts.protocols.map((each) => row([plain(each.protocol), String(each.requests), inBytes(each.bytes)])),
    row(["all", String(entries.length), inBytes(bytes)]),
    "",
    ...(hosts.length > 0
      ? ["Without HTTP/3, or not all:", ...hosts.map(({ host, why }) => `- ${plain(host)}: ${plain(why)}`), ""]
      : []),
    // What an export leaves out is no news of the page.
    ...facts.notes.filter(({ about }) => about !== "credentials").map(({ text }) => `> ${plain(text)}`),
    `${facts.kind === "imported" ? "Imported" : "Profiled"} ${facts.started}${facts.cache === null ? "" : `, cache ${facts.cache}`}, ${plain(`${log.browser.name} ${log.browser.version}`)}, Trilane ${log.creator.version}`,
    "",
  ].join("\n");
}

function decodeSafely(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}
