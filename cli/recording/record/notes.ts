// What was recorded, in lines for a reader. Words only.

import { count, formatSize } from "../../base/numbers.ts";
import { noteLines } from "../import/notes.ts";
import type { RecordedLane } from "./chromium_arguments.ts";
import type { RecordedUrl } from "./record_url.ts";
import { onlyErrors, type StoredPage } from "./store.ts";

function protocolCounts({ imported }: StoredPage): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { exchange } of imported.exchanges) {
    const { protocol } = exchange.recorded;
    const name = typeof protocol === "string" ? protocol : "unknown";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

const protocolOf: Record<RecordedLane, string | null> = { any: null, h1: "http/1.1", h2: "h2", h3: "h3" };

/** The first line names the recording; what is remarkable follows. */
export function recordedLines({ stored, page, added, untimed }: RecordedUrl, lane: RecordedLane): string[] {
  const { name, url, exchanges, hosts, addresses, body_bytes } = stored.recording;
  const size = `${count(hosts, "host")}, ${count(addresses, "address", "addresses")}, ${formatSize(body_bytes)}`;
  const protocols = protocolCounts(stored);
  const lines = [
    `${name}: ${count(exchanges, "exchange")}, ${size}, ${url}`,
    `  protocols: ${[...protocols].map(([protocol, amount]) => `${amount} ${protocol}`).join(", ")}`,
  ];
  for (const [index, requests] of added.entries())
    lines.push(`  visit ${index + 2} asked for ${count(requests, "request")} more`);
  if (untimed !== null)
    lines.push(`  servers' times may be too short, as the visit over HTTP/1.1 that measures them failed: ${untimed}`);
  const refused = onlyErrors(stored.imported.notes.documents);
  if (refused !== null)
    lines.push(`  the start URL was answered ${refused}: an error or a challenge was recorded, not the page`);
  const wanted = protocolOf[lane];
  const off = exchanges - (wanted === null ? exchanges : (protocols.get(wanted) ?? 0));
  if (off > 0) lines.push(`  ${count(off, "exchange")} not over ${lane}`);
  const { answered, seen, unattended, under_way } = page.counts;
  lines.push(`  bytes on the wire: seen of ${seen} of ${count(answered, "response")}`);
  if (unattended > 0)
    lines.push(`  ${count(unattended, "exchange")} that only the network knew (shared workers, search descriptions)`);
  if (page.screensScrolled !== null) lines.push(`  scrolled: ${count(page.screensScrolled, "screen")}`);
  if (under_way > 0) lines.push(`  left out: ${count(under_way, "request")} still under way when the time was up`);
  lines.push(...noteLines(stored.imported.notes, "the browser").map((line) => `  ${line}`));
  return lines;
}
