// Each host of a sweep of fetches: what it says of HTTP/3 and what came of it, its addresses' autonomous system, its certificates. A host
// without HTTP/3 is a row with the reason. Takes what was found out, computes nothing.
import { html, type Markup } from "../../../../extension/figures/markup.ts";
import type { FetchHttpsRecord } from "../../../../schemas/generated/fetch_record.ts";
import { middleCut } from "../../../base/middle_cut.ts";
import { count, formatSize } from "../../../base/numbers.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import { readingKey } from "../../../report/figures/parts.ts";
import { type HostDiscovery, offersH3 } from "../answer/discovery.ts";

const mostRows = 400;

/** `AS64500 Example`; empty: no file of prefixes was given, or it has none. */
export type SystemText = (address: string) => string;

function recordText(record: FetchHttpsRecord | null): string {
  if (!record || record.state === "not-asked") return "not looked up";
  if (record.state === "absent") return "none";
  if (record.state === "failed") return `failed: ${record.reason ?? "no reason was given"}`;
  const services = record.records.map(({ priority, target, alpn, port, ech }) =>
    priority === 0
      ? `alias of ${target}`
      : [alpn.join(", ") || "no ALPN", target !== "." && `at ${target}`, port !== null && `port ${port}`, ech && "ECH"]
          .filter((part) => part !== false)
          .join(", "),
  );
  return services.join("; ");
}

function h3Cell({ h3, reasons }: HostDiscovery): Markup {
  const [first, ...others] = reasons;
  const why =
    first &&
    html`<br><small>${middleCut(first.reason, 120)}${others.length > 0 && `; and ${count(others.length, "more reason")}`}</small>`;
  return html`<td class="status">${h3}${why}</td>`;
}

const systemsOf = ({ addresses }: HostDiscovery, system: SystemText): string =>
  [...new Set(addresses.map(system))].filter((text) => text !== "").join("; ");

export function hostsTable(hosts: readonly HostDiscovery[], system: SystemText | null): Markup {
  const offered = hosts.map((host) => offersH3(host));
  const rows = hosts.slice(0, mostRows).map((host) => {
    const { altSvc, addresses, certificate_bytes, httpsRecord } = host;
    const alt = altSvc.length === 0 ? "none" : altSvc.join(" | ");
    return html`<tr><th scope="row">${middleCut(host.host, 60)}<br><small>${addresses.slice(0, 3).join(" ")}${addresses.length > 3 && " …"}</small></th>${h3Cell(host)}<td title="${middleCut(alt, 500)}">${middleCut(alt, 80)}</td><td>${middleCut(recordText(httpsRecord), 100)}</td><td class="num" data-sort="${String(certificate_bytes ?? "")}">${certificate_bytes === null ? "–" : formatSize(certificate_bytes)}</td>${system && html`<td>${middleCut(systemsOf(host, system), 60)}</td>`}</tr>`;
  });
  const number = (test: (host: HostDiscovery, index: number) => boolean): number => hosts.filter(test).length;
  const answered = number(({ h3 }) => h3 === "yes");
  const silent = number(({ h3 }) => h3 === "no");
  const sentence = `Of ${count(hosts.length, "host")}, ${answered} ${answered === 1 ? "was" : "were"} fetched from over HTTP/3 and ${silent} ${silent === 1 ? "was" : "were"} not; ${number((_, index) => offered[index]?.altSvc ?? false)} offer it by Alt-Svc, ${number((_, index) => offered[index]?.httpsRecord ?? false)} by an HTTPS record.`;
  const figure = html`<figure><p>${sentence}</p>${readingKey("HTTP/3: whether anything came over QUIC, and if not why. Alt-Svc as the server sent it over TCP. HTTPS record (RFC 9460) as DNS has it. Certificates: the server’s chain (DER), uncompressed.")}<div class="scroll"><table class="sortable"><thead><tr><th scope="col">host</th><th scope="col">HTTP/3</th><th scope="col">Alt-Svc</th><th scope="col">HTTPS record</th><th scope="col" class="num">certificates</th>${system && html`<th scope="col">autonomous system</th>`}</tr></thead><tbody>${rows}</tbody></table></div>${hosts.length > rows.length && html`<p class="soft">${count(hosts.length - rows.length, "more host")} are in the CSV.</p>`}</figure>`;
  return savedFigure(figure, {
    name: ["hosts"],
    columns: [
      ...["host", "addresses", "h3", "reasons", "alt_svc", "alt_svc_h3"],
      ...["https_record", "https_record_h3", "certificate_bytes", "autonomous_system"],
    ],
    rows: hosts.map((host, index) => [
      ...[host.host, host.addresses.join(" "), host.h3],
      host.reasons.map(({ reason, times }) => `${reason} (${times})`).join(" | "),
      ...[host.altSvc.join(" | "), offered[index]?.altSvc ?? false],
      ...[recordText(host.httpsRecord), offered[index]?.httpsRecord ?? false, host.certificate_bytes],
      system ? systemsOf(host, system) : null,
    ]),
  });
}
