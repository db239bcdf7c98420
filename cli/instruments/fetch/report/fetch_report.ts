// The report of a sweep of fetches, in the same frame as one of pages: the answer first, then distributions, sizes, hosts, autonomous
// systems, cost, and how it was done. Data in, text out.
import { html, type Markup } from "../../../../extension/figures/markup.ts";
import { count } from "../../../base/numbers.ts";
import { version } from "../../../base/version.ts";
import { answerBlock, instrumentReport, unfinishedLine } from "../../../report/instrument_report.ts";
import { publishedNumbers } from "../../../report/published_numbers.ts";
import type { Results } from "../../../results/store/results.ts";
import { costSentences } from "../answer/cost_sentence.ts";
import { discoveries } from "../answer/discovery.ts";
import { fetchNotes } from "../answer/notes.ts";
import { timedAttempts } from "../answer/summary.ts";
import { fetchStoppingSentences, fetchVerdict } from "../answer/verdict.ts";
import type { AutonomousSystems } from "../prefixes/read_prefixes.ts";
import { fetchStudyOfPlan } from "../studies/all.ts";
import { comparedFetchFigures } from "../studies/fetch_agreement.ts";
import { costSection } from "./cost_section.ts";
import { failuresTable } from "./failures_table.ts";
import { type FetchReportData, gatherFetchReport } from "./fetch_data.ts";
import { hostsTable } from "./hosts_table.ts";
import { phaseBars } from "./phase_bars.ts";
import { deliverySection, distributionSection, helpedHostsSection, hostSection, methodSection } from "./sections.ts";
import { summaryTable, variantRows } from "./summary_table.ts";
import { systemsSection, systemText } from "./systems_section.ts";

/** The answer, and what each lane's fetches take, part by part. The other sentences stand with the lanes. */
function firstScreen({ sweep, fetches, timed }: FetchReportData, first: string): Markup {
  const left = fetches.filter(({ status }) => status !== "valid").length;
  return html`${answerBlock(first, [])}
${left > 0 && html`<p class="excluded">${count(left, "fetch", "fetches")} of ${String(fetches.length)} failed or ${left === 1 ? "is" : "are"} invalid. <a href="#failures">Which, and why</a>.</p>`}${unfinishedLine(sweep, count(timed.length, "fetch", "fetches"))}${timed.length > 0 && phaseBars(variantRows(timed).rows)}`;
}

/** The answer first. */
function sentencesOf({ sweep, fetches, cells, timed }: FetchReportData): string[] {
  const own = timedAttempts(fetches, sweep.plan.repetitions);
  return [
    ...fetchVerdict(cells, own, sweep.plan),
    ...fetchStoppingSentences(sweep, cells, fetches),
    ...costSentences(timed),
    ...fetchNotes(own),
  ];
}

function published({ sweep, timed, counted }: FetchReportData): Markup | null {
  const study = fetchStudyOfPlan(sweep.name);
  return study && publishedNumbers(study, comparedFetchFigures(study, { timed, counted }, sweep.seed));
}

function summary({ timed }: FetchReportData, sentences: readonly string[]): Markup | null {
  const said = sentences.map((sentence) => html`<p class="why">${sentence}</p>`);
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
    method: methodSection(data),
  });
}

/** The report of a stored sweep. */
export const fetchReport = (results: Results, sweep: number, systems: AutonomousSystems | null): string =>
  buildFetchReport(gatherFetchReport(results, sweep, version, systems));
