// Anybody's HAR file -> a profile to look at. Of a file with several pages the one with most requests is taken. Bodies and
// what a profile has no place for are left behind. Pure but for the id and the clock.
import type { Metrics } from "../../schemas/generated/metrics.ts";
import type { Profile } from "../../schemas/generated/profile.ts";
import type { Failure } from "../actions.ts";
import { isFirst, metricFacts, type PageMetric, pageMetrics } from "../capture/metric_facts.ts";
import { profileOf } from "../capture/profile.ts";
import { dateTime_ms } from "./date_time.ts";
import { type Fields, fieldsOf, listOf, numberOf, readEntry, textOf } from "./read_entry.ts";

export type Imported = { readonly profile: Profile } | { readonly error: Failure };

const refuse = (what: string, remedy: string): Imported => ({
  error: { code: "malformed", message: what, remedy },
});

interface Page {
  readonly id: string | null;
  readonly fields: Fields;
  readonly entries: readonly unknown[];
}

function pagesOf(log: Fields): Page[] {
  const entries = listOf(log.entries);
  const pages = listOf(log.pages).map(fieldsOf);
  const of = (id: string | null): unknown[] =>
    entries.filter((entry) => {
      const pageref = textOf(fieldsOf(entry).pageref);
      return pageref === id || (pageref === null && pages.length === 1);
    });
  const listed = pages.map((fields) => ({ id: textOf(fields.id), fields }));
  const found = listed.map(({ id, fields }) => ({ id, fields, entries: of(id) }));
  // Some programs write no pages, or entries of none.
  return found.some((page) => page.entries.length > 0) ? found : [{ id: null, fields: pages[0] ?? {}, entries }];
}

const nonNegative = (value: unknown): number | null => {
  const number = numberOf(value);
  return number !== null && number >= 0 ? number : null;
};

/** Trilane's own, where the file has them, else what HAR and WebPageTest know. */
function metricsOf(log: Fields, page: Fields): Metrics {
  const own = [log, page].map((part) => fieldsOf(fieldsOf(part._trilane).metrics)).find((each) => "plt_ms" in each);
  const timings = fieldsOf(page.pageTimings);
  const other = (field: string): unknown => (field.startsWith("/") ? timings[field.slice(1)] : page[field]);
  const others = (name: PageMetric): unknown =>
    (metricFacts[name].in_har ?? []).map(other).find((value) => value !== undefined && value !== null);
  // Of a later metric an earlier file of ours says nothing.
  const known = pageMetrics.filter((name) => !own || name in own || isFirst(name));
  const given = Object.fromEntries(known.map((name) => [name, nonNegative(own ? own[name] : others(name))])) as Record<
    PageMetric,
    number | null
  >;
  const reasons = fieldsOf(own?.unavailable);
  const missing = known.filter((name) => given[name] === null);
  const unavailable = missing.map((name) => [name, textOf(reasons[name]) ?? "the HAR file does not have it"]);
  return { ...given, unavailable: Object.fromEntries(unavailable) };
}

function producerOf(log: Fields): string {
  for (const program of [fieldsOf(log.creator), fieldsOf(log.browser)]) {
    const name = textOf(program.name);
    if (name) return [name, textOf(program.version)].filter(Boolean).join(" ");
  }
  return "an unknown program";
}

/** `text`: the file's content; `file`: its name, to be shown. */
export function importHar(text: string, file: string): Imported {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return refuse(`${file} is not JSON.`, "Choose a HAR file, as a browser's network panel saves it.");
  }
  const log = fieldsOf(fieldsOf(json).log);
  if (!Array.isArray(log.entries))
    return refuse(`${file} is JSON but not HAR: it has no log.entries.`, "Save it again from the network panel.");
  const pages = pagesOf(log);
  const page = pages.reduce((most, each) => (each.entries.length > most.entries.length ? each : most));
  const starts = page.entries.map((entry) => dateTime_ms(textOf(fieldsOf(entry).startedDateTime) ?? ""));
  const first_ms = starts.reduce<number | null>(
    (least, start) => (start === null ? least : Math.min(start, least ?? start)),
    null,
  );
  const started_ms = dateTime_ms(textOf(page.fields.startedDateTime) ?? "") ?? first_ms ?? 0;
  const read = page.entries.map((entry, place) => readEntry(entry, place, started_ms));
  const entries = read.filter((entry) => entry !== null).sort((a, b) => a._trilane.start_ns - b._trilane.start_ns);
  const [document] = entries;
  if (!document) return refuse(`${file} has no HTTP requests.`, "Record the page again with the network panel open.");

  const own = fieldsOf(log._trilane);
  const title = textOf(page.fields.title) ?? "";
  const url =
    textOf(own.url) ??
    [page.fields._url, page.fields._URL, title].map(textOf).find((each) => /^https?:/i.test(each ?? ""));
  const left = read.length - entries.length;
  const end_ms = entries.reduce((end, { _trilane, time }) => Math.max(end, _trilane.startOffset_ms + time), 0);
  const note = (words: string) => ({ about: "import" as const, text: words });
  const kept = listOf(own.notes)
    .map(fieldsOf)
    .flatMap(({ text: words }) => (typeof words === "string" && words !== "" ? [note(words)] : []));
  const timings = fieldsOf(page.fields.pageTimings);
  const profile = profileOf({
    id: crypto.randomUUID(),
    version: textOf(fieldsOf(log.creator).version) ?? "",
    url: url ?? document.request.url,
    title: textOf(own.title) ?? (/^https?:/i.test(title) ? "" : title),
    kind: "imported",
    cache: own.cache === "on" || own.cache === "off" ? own.cache : null,
    started: new Date(started_ms).toISOString(),
    wall_ms: end_ms,
    ended: null,
    metrics: metricsOf(log, page.fields),
    entries,
    onContentLoad_ms: nonNegative(timings.onContentLoad),
    onLoad_ms: nonNegative(timings.onLoad),
    notes: [
      ...kept,
      ...(pages.length > 1
        ? [note(`The file has ${pages.length} pages; this is the one with the most requests.`)]
        : []),
      ...(left > 0 ? [note(`${left} of its ${read.length} entries are not HTTP requests and were left out.`)] : []),
    ],
    browser: { user_agent: userAgentOf(entries), platform: "", connection: null },
    source: { file, producer: producerOf(log) },
  });
  const given = fieldsOf(log.browser);
  const browser = { name: textOf(given.name) ?? "", version: textOf(given.version) ?? "" };
  return { profile: { log: { ...profile.log, ...(browser.name === "" ? {} : { browser }) } } };
}

function userAgentOf(entries: readonly { request: { headers: readonly { name: string; value: string }[] } }[]): string {
  for (const { request } of entries) {
    const header = request.headers.find(({ name }) => name.toLowerCase() === "user-agent");
    if (header) return header.value;
  }
  return "";
}
