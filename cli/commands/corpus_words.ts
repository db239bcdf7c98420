// What `trilane corpus` prints of a corpus, and the exit status of one whose quantiles are off.
import { RunError } from "../base/errors.ts";
import { count, formatSize } from "../base/numbers.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import type { Archive, Recording } from "../recording/archive/archive.ts";
import { type CorpusFacts, corpusDocument, countedPage, quantileLines } from "../recording/corpus/corpus_check.ts";
import { tolerance } from "../recording/corpus/distributions.ts";

/** Counts the recordings of a corpus. */
export async function countPages(archive: Archive, recordings: readonly Recording[]) {
  const pages = [];
  for (const { name } of recordings) pages.push(countedPage(await archive.show(name)));
  return pages;
}

/** RunError where a quantile is off by more than 10 %. */
export function printCorpus(facts: CorpusFacts, json: boolean): void {
  const document = corpusDocument(facts);
  const { name, pages, made, objects, body_bytes, source, quantiles, within } = document;
  if (json) printJson(document);
  else {
    const found = made === pages ? "" : made === 0 ? ", all there before" : `, ${pages - made} there before`;
    printLines([
      `corpus:${name}: ${count(pages, "page")}${found}, ${count(objects, "object")}, ${formatSize(body_bytes)}`,
      `like ${source}`,
      ...quantileLines(document),
    ]);
  }
  if (within) return;
  const off = quantiles.filter((row) => !row.within).length;
  throw new RunError(
    `corpus ${name}: ${count(off, "quantile")} off by more than ${100 * tolerance} %: see above, or make it of more pages`,
  );
}
