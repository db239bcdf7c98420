// What a report's markup says, as tests read it: its words, and the CSV that a figure carries.
import { inflateRawSync } from "node:zlib";

/** The lines of the first figure in the markup. */
export const csvOf = (markup: string): string[] =>
  inflateRawSync(Buffer.from(/ data-csv="([^"]*)"/.exec(markup)?.[1] ?? "", "base64"))
    .toString()
    .trim()
    .split("\r\n");

export const wordsOf = (markup: unknown): string =>
  String(markup ?? "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");
