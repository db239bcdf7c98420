// The report of a sweep of fetches, in the same frame as one of pages: the answer first, then distributions, sizes, hosts, autonomous
// systems, cost, and how it was done. Data in, text out.

import { html, type Markup } from "../../../../extension/figures/markup.ts";
import type { FetchHttpsRecord } from "../../../../schemas/generated/fetch_record.ts";
import { middleCut } from "../../../base/middle_cut.ts";
import { count, formatSize, withMinus } from "../../../base/numbers.ts";
import { version } from "../../../base/version.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import { readingKey } from "../../../report/figures/parts.ts";
import { machinesSection, type RanWords } from "../../../report/hosts.ts";
import { answerBlock, byFrequency, instrumentReport, unfinishedLine } from "../../../report/instrument_report.ts";
import { publishedNumbers } from "../../../report/published_numbers.ts";
import { stoppingSentences } from "../../../results/answer/rule_outcome.ts";
import type { Results } from "../../../results/store/results.ts";
import { studyOfPlan } from "../../../results/studies/study.ts";
import { costSentences } from "../answer/cost_sentence.ts";
import { discoveries, type HostDiscovery, offersH3 } from "../answer/discovery.ts";
import { excludedFetches, fetchRemarks } from "../answer/notes.ts";
import { timedAttempts } from "../answer/summary.ts";
import { fetchStopping, fetchVerdict } from "../answer/verdict.ts";
import { hostOf, reasonInWords } from "../metrics/fetched.ts";
import type { AutonomousSystems } from "../prefixes/read_prefixes.ts";
import type { StoredFetch } from "../store/fetch_runs.ts";
import { fetchStudies } from "../studies/all.ts";
import { comparedFetchFigures } from "../studies/fetch_agreement.ts";
import { costSection } from "./cost_section.ts";
import { type FetchReportData, gatherFetchReport } from "./fetch_data.ts";
import { phaseBars } from "./phase_bars.ts";
import { deliverySection, distributionSection, helpedHostsSection, hostSection, methodSection } from "./sections.ts";
import { summaryTable, variantRows } from "./summary_table.ts";
import { systemsSection, systemText } from "./systems_section.ts";

// Each host of a sweep of fetches: what it says of HTTP/3 and what came of it, its addresses' autonomous system, its certificates. A host
// without HTTP/3 is a row with the reason. Takes what was found out, computes nothing.

const mostRows = 400;

/** `AS64500 Example`; empty: no file of prefixes was given, or it has none. */
type SystemText = (address: string) => string;

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

// Fetches that failed, and those that were left out because the machine disturbed them, by reason. Takes attempts, computes nothing but
// how many there are.

const mostReasons = 80;

function reasonOf(of: StoredFetch): { readonly stage: string; readonly reason: string } {
  const { record, reasons } = of;
  if (record?.error) return { stage: record.error.stage, reason: reasonInWords(record.error.reason, of) };
  return { stage: "", reason: reasons[0] ?? "no reason was given" };
}

const overWhat = ({ lane, tls, ip }: StoredFetch): string => `${lane}, TLS ${tls}, IPv${ip}`;

/** Null: every attempt came whole. */
function failuresTable(fetches: readonly StoredFetch[]): Markup | null {
  const left = fetches.filter(({ status }) => status !== "valid");
  if (left.length === 0) return null;
  const groups = byFrequency(left, (each) => {
    const { stage, reason } = reasonOf(each);
    return [each.status, stage, reason.replaceAll(/\d+/g, "N")];
  });
  const rows = groups.slice(0, mostReasons).map((of) => {
    const [first] = of;
    const { stage, reason } = reasonOf(first);
    const hosts = [...new Set(of.map(({ object }) => hostOf(object)))];
    const lanes = [...new Set(of.map(({ lane }) => lane))];
    return html`<tr><td class="status">${first.status}</td><td>${stage}</td><td class="reason">${middleCut(reason, 160)}</td><td class="num">${String(of.length)}</td><td>${lanes.join(", ")}</td><td>${hosts.slice(0, 4).map((host, index) => `${index > 0 ? ", " : ""}${middleCut(host, 50)}`)}${hosts.length > 4 && `, and ${hosts.length - 4} more`}</td></tr>`;
  });
  const failed = left.filter(({ status }) => status === "failed").length;
  const figure = html`<figure><p class="soft">${count(failed, "fetch", "fetches")} failed: the object did not come, which is a result and is not tried again. ${count(left.length - failed, "fetch is", "fetches are")} invalid: the machine disturbed ${left.length - failed === 1 ? "it" : "them"}, and ${left.length - failed === 1 ? "it does" : "they do"} not count.</p><div class="scroll"><table class="sortable"><thead><tr><th scope="col">status</th><th scope="col">stage</th><th scope="col">reason</th><th scope="col" class="num">fetches</th><th scope="col">lanes</th><th scope="col">hosts</th></tr></thead><tbody>${rows}</tbody></table></div></figure>`;
  return savedFigure(figure, {
    name: ["failures"],
    columns: ["status", "stage", "reason", "object", "over", "link", "repetition"],
    rows: left.map((each) => {
      const { stage, reason } = reasonOf(each);
      return [each.status, stage, reason, each.object, overWhat(each), each.link, each.block + 1];
    }),
  });
}

/** How many failed; each lane's reasons stand with the lanes. Null: none. */
function failedLine(fetches: readonly StoredFetch[]): string | null {
  const failed = fetches.filter(({ status }) => status === "failed").length;
  return failed === 0 ? null : `${failed} of ${count(fetches.length, "fetch", "fetches")} failed.`;
}

/** The answer, and what each lane's fetches take, part by part. The other sentences stand with the lanes. */
function firstScreen({ sweep, fetches, timed }: FetchReportData, first: string): Markup {
  const left = [failedLine(fetches), excludedFetches(fetches)].filter((line) => line !== null);
  return html`${answerBlock(first, [])}
${left.length > 0 && html`<p class="excluded">${left.join(" ")} <a href="#failures">Which, and why</a>.</p>`}${unfinishedLine(sweep, count(timed.length, "fetch", "fetches"))}${timed.length > 0 && phaseBars(variantRows(timed).rows)}`;
}

/** The answer first. How many fetches do not count stands below it (`firstScreen`). */
function sentencesOf({ sweep, fetches, cells, timed }: FetchReportData): string[] {
  const own = timedAttempts(fetches, sweep.plan.repetitions);
  return [
    ...fetchVerdict(cells, own, sweep.plan),
    ...stoppingSentences(fetchStopping(sweep, cells, fetches)),
    ...costSentences(timed),
    ...fetchRemarks(own),
  ];
}

function published({ sweep, timed, counted }: FetchReportData): Markup | null {
  const study = studyOfPlan(fetchStudies, sweep.name);
  return study && publishedNumbers(study, comparedFetchFigures(study, { timed, counted }, sweep.seed));
}

function summary({ timed }: FetchReportData, sentences: readonly string[]): Markup | null {
  const said = sentences.map((sentence) => html`<p class="why">${withMinus(sentence)}</p>`);
  if (timed.length === 0) return said.length === 0 ? null : html`${said}`;
  const { heads, rows } = variantRows(timed);
  const table = summaryTable({
    ...{ name: "fetches", heads, rows },
    caption: "What fetches took over each lane.",
    shown: [
      "dns_ms",
      "established_ms",
      "first_byte_ms",
      "download_ms",
      "throughput_bps",
      "rtt_min_ms",
      "certificate_bytes",
    ],
  });
  return html`${said}${table}`;
}

/** What machines share of a plan of fetches. */
const machineWords: RanWords = {
  measured: "fetches",
  placesHead: "Hosts on links",
  within: "fetches from a host over a link",
  between: "hosts and links",
};

/** The report as one HTML document. */
export function buildFetchReport(data: FetchReportData): string {
  const { sweep, timed, counted, systems, fetches, linkTests } = data;
  const [answer = "No fetch succeeded.", ...sentences] = sentencesOf(data);
  const hosts = discoveries([...timed, ...counted]);
  const system = systems && ((address: string): string => systemText(systems, address));
  const came = [...timed, ...counted].filter(({ record }) => record.error === null).length;
  return instrumentReport({
    ...{ sweep, version: data.version, answer, linkTests, attempt: "fetch" },
    counted: count(came, "object fetched", "objects fetched"),
    attempts: count(fetches.length, "fetch", "fetches"),
    first: firstScreen(data, answer),
    sections: [
      { id: "published", name: "Published", heading: "Beside the published figures", body: published(data) },
      { id: "lanes", name: "Lanes", heading: "Lane by lane", body: summary(data, sentences) },
      {
        id: "connect",
        name: "Connection",
        heading: "Connection and first byte",
        body: distributionSection(timed, ["established_ms", "first_byte_ms"]),
      },
      { id: "delivery", name: "Throughput", heading: "Throughput and download time", body: deliverySection(timed) },
      {
        id: "dns",
        name: "DNS",
        heading: "DNS and certificates",
        body: hostSection(timed),
      },
      {
        id: "helped",
        name: "Hosts helped",
        heading: "Hosts helped and hurt",
        body: helpedHostsSection(timed, systems),
      },
      { id: "systems", name: "Networks", heading: "By autonomous system", body: systemsSection(timed, systems) },
      {
        id: "hosts",
        name: "Hosts",
        heading: "What hosts say of HTTP/3",
        body: hosts.length === 0 ? null : hostsTable(hosts, system),
      },
      { id: "cost", name: "Cost", heading: "What it costs", body: costSection(timed, counted) },
      { id: "failures", name: "Failed", heading: "What failed, and what was left out", body: failuresTable(fetches) },
    ],
    machines: machinesSection(data.hosts, fetches, [], machineWords),
    method: methodSection(data),
  });
}

/** The report of a stored sweep. */
export const fetchReport = (results: Results, sweep: number, systems: AutonomousSystems | null): string =>
  buildFetchReport(gatherFetchReport(results, sweep, version, systems));
