// The distributions of the pages in a folder of HAR files: how many servers, objects and bytes each has, how large objects are,
// and what comes by https. Reads sizes only: no body is kept, and nothing of a page but its numbers.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../base/errors.ts";
import { quantile } from "../../base/quantile.ts";
import type { Header } from "../archive/archive.ts";
import { hostOf, recordedAddress } from "../import/addresses.ts";
import { type HarEntry, headersOf, readHarFile } from "../import/har.ts";
import { readHar } from "../import/read.ts";
import { selectEntries } from "../import/select.ts";
import { bodySizeHasHeaders, transferSize } from "../import/transfer_size.ts";
import type { CountedPage } from "./corpus_check.ts";
import { distributionsOf, leastTotal_bytes, type PageDistributions } from "./distributions.ts";

const harEnding = /\.har(\.gz|\.zst)?$/i;
/** A longer list says no more of a distribution. */
const mostQuantiles = 101;

/** Of a page's responses that have a body whose size is known. UserError for what is no HAR, or has no sizes. */
function countedHar(json: unknown): CountedPage {
  const har = readHarFile(json);
  const { kept } = selectEntries(har, { page: undefined });
  const hasHeaders = bodySizeHasHeaders(har.entries, har.producer);
  const sized = kept.flatMap((entry): { entry: HarEntry; size: number }[] => {
    const headers = headersOf(entry, "response").map(
      ({ name, value }): Header => [name.trim().toLowerCase(), value.trim()],
    );
    const { body_bytes } = transferSize(entry, headers, hasHeaders);
    return body_bytes ? [{ entry, size: body_bytes }] : [];
  });
  if (sized.length === 0)
    throw new UserError("has no sizes of its responses: save it from a browser's network panel, or leave it out");
  const document = sized.find(({ entry: { status } }) => status >= 200 && status < 300) ?? sized[0];
  const isHttps = document?.entry.url.protocol === "https:";
  const origins = new Map(sized.map(({ entry: { url } }) => [url.host, url.protocol]));
  const secure = [...origins.values()].filter((protocol) => protocol === "https:").length;
  return {
    servers: new Set(sized.map(({ entry }) => recordedAddress(entry) ?? hostOf(entry))).size,
    sizes: sized.map(({ size }) => size),
    isHttps,
    others: origins.size - 1,
    httpsOthers: secure - (isHttps ? 1 : 0),
  };
}

/** Whole quantiles at equal steps, as many as there are pages. */
function quantilesOf(values: readonly number[]): number[] {
  const steps = Math.min(mostQuantiles, Math.max(2, values.length)) - 1;
  return Array.from({ length: steps + 1 }, (_, step) => Math.round(quantile(values, step / steps)));
}

function ranksOf(values: readonly number[]): number[] {
  // The mean rank of equal values.
  return values.map((value) => {
    const less = values.filter((other) => other < value).length;
    return less + values.filter((other) => other === value).length / 2;
  });
}

/** Spearman's, as the correlation of the normals that gives it (Pearson 1907); 0 where one does not vary. */
function scoreCorrelation(a: readonly number[], b: readonly number[]): number {
  const [x, y] = [ranksOf(a), ranksOf(b)];
  const middle = a.length / 2;
  const product = (p: readonly number[], q: readonly number[]): number =>
    p.reduce((all, value, place) => all + (value - middle) * ((q[place] ?? 0) - middle), 0);
  const spread = Math.sqrt(product(x, x) * product(y, y));
  return spread === 0 ? 0 : 2 * Math.sin((Math.PI / 6) * (product(x, y) / spread));
}

/** Fewer pages say nothing of it. */
const fewestForCorrelations = 3;
/** Drawn towards none, so that three that were rounded from few pages are possible at once. */
const kept = 0.95;

function correlationsOf(pages: readonly CountedPage[]): Pick<PageDistributions, "correlations"> {
  if (pages.length < fewestForCorrelations) return {};
  const objects = pages.map(({ sizes }) => sizes.length);
  const servers = pages.map((page) => page.servers);
  const totals = pages.map(({ sizes }) => sum(sizes));
  const between = (a: readonly number[], b: readonly number[]): number => kept * scoreCorrelation(a, b);
  return {
    correlations: {
      objects_servers: between(objects, servers),
      objects_total: between(objects, totals),
      servers_total: between(servers, totals),
    },
  };
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** `source`: whose pages these are. UserError where no modelled pages can be so. */
function distributionsOfPages(pages: readonly CountedPage[], source: string): PageDistributions {
  const sizes = pages.flatMap((page) => page.sizes);
  const clear = pages.filter(({ isHttps }) => !isHttps);
  const others = sum(clear.map((page) => page.others));
  // Without compression and with a document that names all else a page cannot be smaller.
  const totals = pages.map((page) => Math.max(sum(page.sizes), leastTotal_bytes(page.sizes.length)));
  return distributionsOf(
    {
      source,
      pages: pages.length,
      servers: quantilesOf(pages.map(({ servers }) => servers)),
      objects: quantilesOf(pages.map((page) => page.sizes.length)),
      total_bytes: quantilesOf(totals),
      ...correlationsOf(pages),
      object_bytes: [0, 0.5, 1].map((probability) => Math.round(quantile(sizes, probability))),
      https: {
        pages: (pages.length - clear.length) / pages.length,
        other_origins: others === 0 ? 0 : sum(clear.map((page) => page.httpsOthers)) / others,
      },
    },
    source,
  );
}

/** Of a folder's HAR files, each one page (its first). `onFile` is called after each. */
export async function distributionsOfFolder(
  folder: string,
  onFile: (done: number, files: number) => void,
): Promise<PageDistributions> {
  if (!(await stat(folder).catch(() => null))?.isDirectory())
    throw new UserError(`${folder}: no such folder: name a folder of HAR files, or a file of distributions (.json)`);
  const files = (await readdir(folder)).filter((name) => harEnding.test(name)).sort();
  if (files.length === 0)
    throw new UserError(`${folder}: has no HAR file (.har, .har.gz, .har.zst): name a folder that has some`);
  const pages: CountedPage[] = [];
  for (const [place, name] of files.entries()) {
    const path = join(folder, name);
    try {
      pages.push(countedHar(await readHar(path)));
    } catch (error) {
      if (!(error instanceof UserError) || error.message.startsWith(path)) throw error;
      throw new UserError(`${path}: ${error.message}`);
    }
    onFile(place + 1, files.length);
  }
  return distributionsOfPages(pages, `${files.length} pages of ${folder}`);
}
