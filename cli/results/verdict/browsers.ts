// Which browsers loads ran with, in words: a browser that was updated in mid-sweep may load pages at another speed. Pure.
import { browserInWords } from "../../base/browser_words.ts";
import { count } from "../../base/numbers.ts";
import { isValid, type Sample } from "./sample.ts";

export interface Browser {
  readonly version: string;
  /** Of the program's file; null: not known. */
  readonly sha256: string | null;
  readonly loads: number;
}

const shownDigits = 8;

const keyOf = ({ browser_version, browser_sha256 }: Sample): string =>
  JSON.stringify([browser_version, browser_sha256 ?? null]);

const isReported = ({ browser_version }: Sample): boolean => (browser_version ?? null) !== null;

/** Those of loads that tell theirs, in the order in which they came. */
export function browsersOf(loads: readonly Sample[]): Browser[] {
  return [...Map.groupBy(loads.filter(isReported), keyOf)].map(([key, { length }]) => {
    const [version, sha256] = JSON.parse(key) as [string, string | null];
    return { version, sha256, loads: length };
  });
}

/** " (binary 1a2b3c4d)". */
export function binaryInWords(sha256: string | null): string {
  return ` (binary ${sha256?.slice(0, shownDigits) ?? "unknown"})`;
}

/** "3 loads do not tell", of valid ones, where others do: they were stored by an earlier Trilane. Null: there are none. */
export function unreportedWords(loads: readonly Sample[]): string | null {
  const unreported = loads.filter((load) => isValid(load) && !isReported(load)).length;
  if (unreported === 0 || !loads.some(isReported)) return null;
  return `${count(unreported, "load")} ${unreported === 1 ? "does" : "do"} not tell`;
}

/** "Chromium 156.0.1", "Firefox 153.8.0", with the binary where two of them have one version. */
export function browserNames(browsers: readonly Browser[]): string[] {
  const versions = Map.groupBy(browsers, ({ version }) => version);
  return browsers.map(({ version, sha256 }) => {
    const binary = (versions.get(version)?.length ?? 0) > 1 ? binaryInWords(sha256) : "";
    return `${browserInWords(version)}${binary}`;
  });
}

/** One line where loads come from several browsers, or some do not tell from which; null where they do not, or none reports it. */
export function browsersWarning(loads: readonly Sample[]): string | null {
  const browsers = browsersOf(loads);
  const unreported = unreportedWords(loads);
  if (browsers.length < 2)
    return (
      unreported &&
      `Whether the browser changed is not known: ${unreported}, the others ran with ${browserNames(browsers).join()}.`
    );
  const names = browserNames(browsers).map((name, index) => `${name} (${count(browsers[index]?.loads ?? 0, "load")})`);
  if (unreported !== null) names.push(unreported);
  const blocks = Map.groupBy(loads.filter(isReported), ({ page, link, block }) => JSON.stringify([page, link, block]));
  const mixed = [...blocks.values()].filter((block) => new Set(block.map(keyOf)).size > 1).length;
  return (
    `The browser changed meanwhile: ${names.join(", ")}. Lanes are compared within blocks, ` +
    `${mixed === 0 ? "none of which has" : `of which ${mixed} of ${blocks.size} ${mixed === 1 ? "has" : "have"}`} loads of more than one.`
  );
}
