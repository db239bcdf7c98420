// All that is known of one request, as a pane beside the list. Row in, markup out.
import { formatSize, formatTime } from "../../../cli/base/numbers.ts";
import { phases } from "../../figures/colours.ts";
import { type Content, html, type Markup } from "../../figures/markup.ts";
import { hatched } from "../../figures/phase_shapes.ts";
import type { Entry, RequestRow } from "./rows.ts";

type Fact = readonly [name: string, value: Content];

function facts(list: readonly Fact[]): Markup {
  const shown = list.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false);
  return html`<dl>${shown.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

function section(title: string, body: Markup, open = true): Markup {
  return html`<details${open && html` open`}><summary>${title}</summary>${body}</details>`;
}

function headers(
  title: string,
  list: readonly { readonly name: string; readonly value: string }[],
  open: boolean,
): Markup | null {
  if (list.length === 0) return null;
  return section(`${title} (${list.length})`, facts(list.map(({ name, value }): Fact => [name, value || " "])), open);
}

function reuse({ _trilane }: Entry): string {
  return _trilane.connectionReused === null ? "" : _trilane.connectionReused ? ", used before" : ", new";
}

function initiator({ _initiator }: Entry): string {
  const line = _initiator.lineNumber === undefined ? "" : `:${_initiator.lineNumber + 1}`;
  return _initiator.url ? `${_initiator.type}: ${_initiator.url}${line}` : _initiator.type;
}

function general(row: RequestRow): Markup {
  const { entry } = row;
  const { request, response, _trilane: noted } = entry;
  const port = noted.serverPort === null ? "" : ` port ${noted.serverPort}`;
  return facts([
    ["URL", request.url],
    ["Method", request.method],
    ["Status", `${row.status}${response.statusText && ` ${response.statusText}`}`],
    ["Error", response._error],
    ["Not sent because", noted.blocked],
    ["Redirects to", response.redirectURL],
    [
      "Protocol",
      row.protocol === entry._protocol
        ? row.protocol
        : `${row.protocol}${entry._protocol ? ` (${entry._protocol})` : ""}`,
    ],
    [
      "Connection",
      row.connection === null ? (row.entry._protocol ? "not known" : "none") : `${row.connection}${reuse(entry)}`,
    ],
    ["Server", entry.serverIPAddress && `${entry.serverIPAddress}${port}`],
    ["Kind", `${row.kind}${response.content.mimeType && `, ${response.content.mimeType}`}`],
    [
      "Priority",
      entry._initialPriority && entry._initialPriority !== entry._priority
        ? `${entry._initialPriority}, then ${entry._priority ?? "?"}`
        : entry._priority,
    ],
    ["Requested by", initiator(entry)],
    ["Frame", noted.frame],
    ["Document", noted.documentUrl !== request.url && noted.documentUrl],
    ["From cache", entry._fromCache],
    ["Received", row.bytes >= 0 ? formatSize(row.bytes) : "unknown"],
    ["Content", `${formatSize(Math.max(0, response.content.size))} decoded`],
    ["Complete", noted.complete ? "yes" : "no"],
    ["Matched", noted.match],
  ]);
}

/** Phases as a table with bars on the request's own time axis. */
function timing(row: RequestRow): Markup {
  const total_ms = Math.max(0.001, row.end_ms - row.start_ms);
  const width = 130;
  const lines = row.phases.map(({ key, start_ms, duration_ms }) => {
    const x = ((start_ms - row.start_ms) / total_ms) * width;
    const length = Math.max(1, (duration_ms / total_ms) * width);
    const box = (fill: Markup): Markup => html`<rect ${fill} x="${x}" y="3" width="${length}" height="10"/>`;
    return html`<tr><th scope="row">${phases.find((phase) => phase.key === key)?.label}</th><td class="num">${formatTime(duration_ms)}</td><td><svg width="${String(width)}" height="16" aria-hidden="true">${box(html`class="ph-${key}"`)}${hatched.has(key) && box(html`fill="url(#hatch-${key})"`)}</svg></td></tr>`;
  });
  const queued = row.entry.timings._blocked_queueing;
  return html`<table class="timing"><tbody><tr><th scope="row">begins</th><td class="num">${formatTime(Math.max(0, row.start_ms))}</td><td></td></tr>${lines}<tr><th scope="row"><b>all</b></th><td class="num"><b>${formatTime(total_ms)}</b></td><td></td></tr></tbody></table>${queued > 0 && html`<p class="soft">Of blocked, ${formatTime(queued)} before the network stack took the request.</p>`}`;
}

export function detailsMarkup(row: RequestRow): Markup {
  const { request, response } = row.entry;
  const security = response._securityDetails;
  return html`<div class="top"><h3>${row.file}</h3><button type="button" class="close" aria-label="Close the details">×</button></div>
${section("Time", timing(row))}
${section("Request", general(row))}
${
  security &&
  section(
    "Security",
    facts([
      ["Protocol", security.protocol],
      ["Key exchange", security.keyExchangeGroup],
      ["Cipher", security.cipher],
      ["Certificate", `${security.subjectName}, by ${security.issuer}`],
    ]),
    false,
  )
}
${headers("Response headers", response.headers, true)}
${headers("Request headers", request.headers, false)}
${headers("Query", request.queryString, false)}
${request.postData && section("Sent content", html`<pre>${request.postData.text}</pre>`, false)}`;
}
