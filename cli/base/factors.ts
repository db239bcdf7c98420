// What cells of a sweep may differ by besides page, link, lane and settings: one list for labels, plans, pairs and tables. A cell's label
// has its values behind the lane, `h2@firefox`; a label without one is of the only one that the sweep has. Pure data.

interface FactorFacts {
  /** Before the value in a label. */
  readonly sign: string;
  readonly several: string;
  /** A value in sentences, behind a lane's name: `HTTP/2 in Firefox`. */
  readonly words: (value: string) => string;
  /** A value by itself: `Firefox`. */
  readonly title: (value: string) => string;
}

const engines: Readonly<Record<string, string>> = { chromium: "Chromium", firefox: "Firefox" };
const engineTitle = (value: string): string => engines[value] ?? value;

/** The server of lanes that name none. */
export const replayServer = "replay";

/** The server of lanes over a link to the outside: whichever answers there. */
export const liveServer = "live";

/** Beside each answer of theirs. */
export const liveNote =
  "The servers are live: their distance, their load and the internet between are in every time, beside the link's; another day's times may differ. TCP ends at this end of the link, at pasta, so that the servers' own congestion control meets the link over HTTP/3 only.";

const serverTitles: Readonly<Record<string, string>> = {
  [liveServer]: "a live server",
  [replayServer]: "trilane-replay",
  nginx: "nginx",
  caddy: "Caddy",
  haproxy: "HAProxy",
  h2o: "h2o",
};
const serverTitle = (value: string): string => serverTitles[value] ?? value;

/** In the order in which a label has them: a browser loads a lane, a server answers on it. */
export const factorFacts = {
  browser: { sign: "@", several: "browsers", words: (value) => `in ${engineTitle(value)}`, title: engineTitle },
  server: { sign: "+", several: "servers", words: (value) => `from ${serverTitle(value)}`, title: serverTitle },
} as const satisfies Readonly<Record<string, FactorFacts>>;

export type Factor = keyof typeof factorFacts;
export type FactorValues = Readonly<Partial<Record<Factor, string | undefined>>>;

export const allFactors = Object.keys(factorFacts) as readonly Factor[];

/** As schemas/lane-label.schema.json has it. */
const value = /^[a-z0-9][a-z0-9.-]{0,15}$/;
export const isFactorValue = (text: string): boolean => value.test(text);

/** `@firefox`; empty: no values. */
export const factorText = (values: FactorValues): string =>
  allFactors
    .map((factor) => (values[factor] === undefined ? "" : `${factorFacts[factor].sign}${values[factor]}`))
    .join("");

const signs = allFactors.map((factor) => factorFacts[factor].sign);
const atSign = new RegExp(`(?=[${signs.join("")}])`);

/** A label's text before its factors, and these; null: there is a sign without a value, or two of one factor. */
export function splitFactors(label: string): { readonly before: string; readonly factors: FactorValues } | null {
  const [before = "", ...parts] = label.split(atSign);
  const factors: Partial<Record<Factor, string>> = {};
  for (const part of parts) {
    const factor = allFactors[signs.indexOf(part.slice(0, 1) as (typeof signs)[number])];
    if (factor === undefined || factors[factor] !== undefined || !isFactorValue(part.slice(1))) return null;
    factors[factor] = part.slice(1);
  }
  return { before, factors };
}

/** ` in Firefox`, behind a lane's name; empty: no values. */
export const factorWords = (values: FactorValues): string =>
  allFactors
    .map((factor) => (values[factor] === undefined ? "" : ` ${factorFacts[factor].words(values[factor])}`))
    .join("");

/** `Firefox`, as a row of a table has it. */
export const factorTitle = (values: FactorValues): string =>
  allFactors
    .flatMap((factor) => (values[factor] === undefined ? [] : [factorFacts[factor].title(values[factor])]))
    .join(", ");

/** By which of them two differ. */
export const factorsApart = (a: FactorValues, b: FactorValues): Factor[] =>
  allFactors.filter((factor) => a[factor] !== b[factor]);
