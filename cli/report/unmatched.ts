// The report's list of requests that were not matched exactly: what was requested, what was given instead. Data in,
// markup out.
import { html, type Markup } from "../../extension/figures/markup.ts";
import { middleCut } from "../base/middle_cut.ts";
import { count } from "../base/numbers.ts";
import type { Unmatched } from "../results/store/results.ts";
import { sortLanes } from "../results/verdict/sample.ts";
import type { ReportData } from "./data.ts";
import { field } from "./figures/unknown_json.ts";

const maxRows = 300;
const urlLength = 120;

const differences: Readonly<Record<NonNullable<Unmatched["difference"]>, string>> = {
  body: "another request body",
  port: "another port",
  query: "another query",
  path: "another path, much like it",
};

function urlMarkup(url: string): Markup {
  return html`<span title="${url}">${middleCut(url, urlLength)}</span>`;
}

function givenMarkup({ recorded_url, difference, similarity }: Unmatched): Markup {
  if (difference === null) return html`nothing recorded`;
  const alike =
    (difference === "query" || difference === "path") &&
    similarity !== null &&
    html`, similarity ${similarity.toFixed(2)}`;
  return html`${recorded_url === null ? "unavailable: no memory for its URL" : urlMarkup(recorded_url)}<br><small>${differences[difference]}${alike}</small>`;
}

/** Null where all requests were matched exactly, and where the results are too old to tell which were not. */
function unmatchedTable(data: ReportData): Markup | null {
  const { unmatched } = data;
  if (unmatched.length === 0) return null;
  const lanes = sortLanes(data.cells.map(({ lane }) => lane));
  const rows = unmatched
    .slice(0, maxRows)
    .map(
      (request) =>
        html`<tr data-page="${request.page}" data-host="${URL.parse(request.url)?.host ?? ""}" data-lanes="${Object.keys(request.loads).join(" ")}"><td>${middleCut(request.page, 40)}</td><td class="status">${request.outcome}</td><td>${request.method} ${urlMarkup(request.url)}</td><td>${givenMarkup(request)}</td>${lanes.map((lane) => html`<td class="num">${String(request.loads[lane] ?? 0)}</td>`)}</tr>`,
    );
  return html`<div class="scroll"><table><thead><tr><th scope="col">Page</th><th scope="col">match</th><th scope="col">asked for</th><th scope="col">given</th>${lanes.map((lane) => html`<th scope="col" class="num">${lane}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>${unmatched.length > maxRows && html`<p>and ${String(unmatched.length - maxRows)} more.</p>`}`;
}

/** Which lanes' bodies were not all as recorded, as the loads shown in this report tell. */
function recodedNote(data: ReportData): Markup | null {
  const counts = [...data.facts.values()].flatMap(({ lane, replay }) => {
    const recoded = Number(field(replay, "counts", "recoded") ?? 0);
    return recoded > 0 ? [{ lane, recoded }] : [];
  });
  if (counts.length === 0) return null;
  const most = (lane: string): number =>
    Math.max(...counts.filter((each) => each.lane === lane).map(({ recoded }) => recoded));
  const lanes = sortLanes(counts.map(({ lane }) => lane)).map(
    (lane) => `${lane} (up to ${count(most(lane), "response")} of a load)`,
  );
  return html`<p>On ${lanes.join(", ")} the bytes differ from the recorded ones. The browser did not accept the recorded content coding (Chromium accepts neither br nor zstd in clear), so it was sent gzip, or no coding if it did not accept gzip either. These lanes carry more bytes.</p>`;
}

/** How many of all loads' requests were matched how, and the list of those that were not exactly. Null: no request reached the replay. */
export function matchSection(data: ReportData): Markup | null {
  const sum = (name: "matched" | "fuzzy" | "missed"): number =>
    data.loads.reduce((total, load) => total + (load[name] ?? 0), 0);
  const [exact, fuzzy, missed] = [sum("matched"), sum("fuzzy"), sum("missed")];
  const total = exact + fuzzy + missed;
  if (total === 0) return null;
  const share = (of: number): string => `${((100 * of) / total).toFixed(of === total || of === 0 ? 0 : 2)} %`;
  const kinds = html`<p>Of ${count(total, "request")} in all loads, ${String(exact)} (${share(exact)}) were matched exactly: method, host, path, query and request body as recorded. ${String(fuzzy)} (${share(fuzzy)}) got the response of the most similar recorded request, ${String(missed)} (${share(missed)}) are not in the recording: beacons and reports got 204, what failed when it was recorded failed again, the rest got 404.${data.loads.some((load) => load.coverage_requests !== null) && html` What that means for a load: <a href="#coverage">coverage</a>.`}</p>`;
  const table = unmatchedTable(data);
  const unreported =
    table === null &&
    fuzzy + missed > 0 &&
    html`<p>An earlier version measured these results; they do not say which requests.</p>`;
  return html`${kinds}${table && html`<p class="soft">Those not matched exactly, with the loads of each lane in which they came:</p>${table}`}${unreported}${recodedNote(data)}`;
}
