// Whether a corpus in the archive is distributed as it should be: its quantiles, counted from its recordings, beside those of
// the distributions. Pure.
import type { Corpus as CorpusDocument, QuantileRow } from "../../../schemas/generated/corpus.ts";
import { formatSize } from "../../base/numbers.ts";
import { quantile } from "../../base/quantile.ts";
import { textTable } from "../../base/text_table.ts";
import type { RecordingDetail } from "../archive/archive.ts";
import type { Corpus } from "./corpus.ts";
import { type PageDistributions, quantileFunction, tolerance } from "./distributions.ts";

/** What is counted of a page. */
export interface CountedPage {
  readonly servers: number;
  readonly sizes: readonly number[];
  readonly isHttps: boolean;
  /** Servers beside the document's, and those of them that are reached by https. */
  readonly others: number;
  readonly httpsOthers: number;
}

export function countedPage({ recording, exchanges }: RecordingDetail): CountedPage {
  const origins = new Map(exchanges.map(({ scheme, host, port }) => [`${host}:${port}`, scheme]));
  const isHttps = recording.url.startsWith("https:");
  const secure = [...origins.values()].filter((scheme) => scheme === "https").length;
  return {
    servers: new Set(exchanges.map(({ address }) => address)).size,
    sizes: exchanges.map(({ body_size }) => body_size),
    isHttps,
    others: origins.size - 1,
    httpsOthers: secure - (isHttps ? 1 : 0),
  };
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

function row(
  of: QuantileRow["of"],
  probability: number | null,
  published: number,
  expected: number,
  corpus: number,
): QuantileRow {
  const off = expected === 0 ? (corpus === 0 ? 0 : 1) : corpus / expected - 1;
  return { of, probability, published, expected, corpus, off, within: Math.abs(off) <= tolerance };
}

/** Probabilities of which a table speaks: the least, the most, and as many between as are published, the quartiles at most. */
function probabilitiesOf(quantiles: readonly number[]): number[] {
  return quantiles.length === 3 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1];
}

function pageRows(
  of: "servers" | "objects" | "total_bytes",
  given: PageDistributions,
  values: number[],
): QuantileRow[] {
  const valueAt = quantileFunction(given[of], given.pages);
  // What so many pages of the distribution have: the ends of fewer pages are less far out.
  const expected = values.map((_, rank) => Math.round(valueAt((rank + 0.5) / values.length)));
  return probabilitiesOf(given[of]).map((probability) =>
    row(
      of,
      probability,
      Math.round(valueAt(probability)),
      quantile(expected, probability),
      quantile(values, probability),
    ),
  );
}

/** The published quantiles, what is expected of a corpus of so many pages, and what the pages have. */
function quantileRows(given: PageDistributions, pages: readonly CountedPage[]): QuantileRow[] {
  const totals = pages.map(({ sizes }) => sum(sizes));
  const sizes = pages.flatMap((page) => page.sizes);
  const [least = 1, middle = 1, most = 1] = given.object_bytes;
  const end = 0.5 / pages.length;
  const share = quantileFunction(given.total_bytes, given.pages)(1 - end) / (given.total_bytes.at(-1) ?? 1);
  const clear = pages.filter(({ isHttps }) => !isHttps);
  const others = sum(clear.map((page) => page.others));
  const secure = sum(clear.map((page) => page.httpsOthers));
  const httpsPages = (pages.length - clear.length) / pages.length;
  return [
    ...pageRows(
      "servers",
      given,
      pages.map(({ servers }) => servers),
    ),
    ...pageRows(
      "objects",
      given,
      pages.map((page) => page.sizes.length),
    ),
    row("object_bytes", 0, least, least, quantile(sizes, 0)),
    row("object_bytes", 0.5, middle, middle, quantile(sizes, 0.5)),
    row("object_bytes", 1, most, Math.round(most * Math.min(1, share)), quantile(sizes, 1)),
    ...pageRows("total_bytes", given, totals),
    row(
      "https_pages",
      null,
      given.https.pages,
      Math.round(given.https.pages * pages.length) / pages.length,
      httpsPages,
    ),
    ...(others === 0
      ? []
      : [
          row(
            "https_other_origins",
            null,
            given.https.other_origins,
            Math.round(given.https.other_origins * others) / others,
            secure / others,
          ),
        ]),
  ];
}

export interface CorpusFacts {
  readonly corpus: Pick<Corpus, "name" | "seed" | "distributions">;
  readonly pages: readonly CountedPage[];
  /** How many of the pages this command made. */
  readonly made: number;
}

/** As `trilane corpus` prints it with --json. */
export function corpusDocument({ corpus, pages, made }: CorpusFacts): CorpusDocument {
  const rows = quantileRows(corpus.distributions, pages);
  return {
    schema: "trilane/corpus/1",
    name: corpus.name,
    source: corpus.distributions.source,
    pages: pages.length,
    seed: corpus.seed,
    made,
    objects: sum(pages.map(({ sizes }) => sizes.length)),
    body_bytes: sum(pages.map(({ sizes }) => sum(sizes))),
    quantiles: rows,
    within: rows.every(({ within }) => within),
  };
}

const titles: Record<QuantileRow["of"], string> = {
  servers: "servers",
  objects: "objects",
  object_bytes: "object size",
  total_bytes: "total size",
  https_pages: "pages by https",
  https_other_origins: "http pages' others by https",
};

function valueText(of: QuantileRow["of"], value: number): string {
  if (of === "object_bytes" || of === "total_bytes") return formatSize(Math.round(value));
  return of === "servers" || of === "objects" ? String(value) : `${Number((100 * value).toFixed(1))} %`;
}

const quantileText = (probability: number | null): string => {
  if (probability === null) return "share";
  const names: Record<string, string> = { 0: "least", 0.5: "median", 1: "most" };
  return names[probability] ?? `${100 * probability} %`;
};

/** The table of the terminal. */
export function quantileLines({ quantiles, pages }: Pick<CorpusDocument, "quantiles" | "pages">): string[] {
  const head = ["attribute", "quantile", "published", `of ${pages} pages`, "corpus", "off by"];
  return textTable([
    head,
    ...quantiles.map(({ of, probability, published, expected, corpus, off }) => [
      titles[of],
      quantileText(probability),
      ...[published, expected, corpus].map((value) => valueText(of, value)),
      `${Number((100 * off).toFixed(1))} %`,
    ]),
  ]);
}
