// What a page of a corpus is made of: of each object its kind, its server, who asks for it and when. From the page's shape and
// its objects' sizes. Pure; makes no bodies (corpus_page.ts) and no HTML (cli/recording/model).
//
// Kinds go by size, as on the web: what has less than 200 bytes is mostly a tracking picture, fonts have tens of kB, and
// what has most is a picture. Servers follow Zipf's law, the document's own first. The document's parser finds style sheets,
// scripts and most pictures; style sheets ask for fonts and backgrounds; scripts ask for scripts, pictures, data and frames, and
// these for more. The shares are of our own choice: the thesis gives none.
import { type RandomSource, randomSource } from "../../base/random.ts";
import type { PageShape } from "./page_shapes.ts";

export type PlannedKind = "document" | "stylesheet" | "script" | "image" | "font" | "frame" | "data";

export interface PlannedObject {
  readonly kind: PlannedKind;
  readonly size_bytes: number;
  /** From 0, which is the document's. */
  readonly server: number;
  /** Place of what asks for it among the page's objects; null: the document itself. */
  readonly asker: number | null;
  /** Found by the parser or by rules, or requested by a script. */
  readonly how: "parser" | "stylesheet" | "script";
  /** Of a script that the parser finds: whether the parser continues without it. */
  readonly isAsync: boolean;
  /** From the beginning of the page load, on a network without delay; whole in microseconds. */
  readonly sent_ms: number;
  readonly wait_ms: number;
}

export interface PlannedPage {
  readonly objects: readonly PlannedObject[];
  /** Of each server, whether it is reached by https. */
  readonly isHttps: readonly boolean[];
}

/** Shares of kinds among objects of less than so many bytes. */
const kindsBySize: readonly { readonly below_bytes: number; readonly shares: Partial<Record<PlannedKind, number>> }[] =
  [
    { below_bytes: 200, shares: { image: 0.9, data: 0.1 } },
    { below_bytes: 1000, shares: { image: 0.64, script: 0.2, stylesheet: 0.04, frame: 0.04, data: 0.08 } },
    { below_bytes: 10_000, shares: { image: 0.6, script: 0.24, stylesheet: 0.08, frame: 0.04, data: 0.04 } },
    {
      below_bytes: 100_000,
      shares: { image: 0.5, script: 0.32, stylesheet: 0.1, font: 0.05, frame: 0.01, data: 0.02 },
    },
    { below_bytes: 500_000, shares: { image: 0.78, script: 0.2, data: 0.02 } },
    { below_bytes: Number.POSITIVE_INFINITY, shares: { image: 1 } },
  ];

/** Of each kind, how often a script asks for it and not the parser. */
const scriptedShare: Readonly<Record<PlannedKind, number>> = {
  document: 0,
  stylesheet: 0.05,
  script: 0.4,
  image: 0.2,
  font: 0,
  frame: 0.7,
  data: 1,
};
const backgroundShare = 0.12;
const asyncShare = 0.35;

/** So much of a body a request in it takes, and what a document needs besides. */
const requestText_bytes = 90;
const documentText_bytes = 2600;
const scriptText_bytes = 40;
/** Scripts that load scripts that load scripts. */
const deepest = 4;
const computation_ms = { least: 2, most: 28 } as const;

const documentNeed_bytes = (objects: number): number => documentText_bytes + requestText_bytes * objects;

function weighted<Name extends string>(shares: Partial<Record<Name, number>>, at: number): Name {
  const entries = Object.entries(shares) as [Name, number][];
  let left = at * entries.reduce((sum, [, share]) => sum + share, 0);
  for (const [name, share] of entries) {
    left -= share;
    if (left < 0) return name;
  }
  return (entries.at(-1) as [Name, number])[0];
}

const kindOfSize = (size_bytes: number, random: RandomSource): PlannedKind =>
  weighted(kindsBySize.find(({ below_bytes }) => size_bytes < below_bytes)?.shares ?? { image: 1 }, random());

/**
 * The document's size and the others': the smallest few that hold its tags may be the document's. Where none does, it takes what it
 * needs of the others.
 */
function documentFirst(sizes: readonly number[], least_bytes: number, random: RandomSource): number[] {
  const need = documentNeed_bytes(sizes.length - 1);
  const sorted = sizes.map((size, place) => ({ size, place })).sort((a, b) => a.size - b.size || a.place - b.place);
  const from = sorted.findIndex(({ size }) => size >= need);
  if (from >= 0) {
    const candidates = sorted.slice(from, from + 5);
    const chosen = candidates[Math.floor(random() ** 2 * candidates.length)] ?? candidates[0];
    return [chosen?.size ?? need, ...sizes.filter((_, place) => place !== chosen?.place)];
  }
  const largest = sorted.at(-1)?.place;
  const others = sizes.filter((_, place) => place !== largest);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const scale =
    Math.max(0, total - need) /
    Math.max(
      1,
      others.reduce((sum, size) => sum + size, 0),
    );
  return [need, ...others.map((size) => Math.max(least_bytes, Math.floor(size * Math.min(1, scale))))];
}

/** Each server has one object at least; the rest by Zipf's law. The document, first of all, is on the first. */
function serversOf(objects: number, servers: number, random: RandomSource): number[] {
  const weights = Array.from({ length: servers }, (_, server) => 1 / (server + 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const upTo: number[] = [];
  for (const weight of weights) upTo.push((upTo.at(-1) ?? 0) + weight);
  const drawn = (): number => {
    const at = random() * total;
    return Math.max(
      0,
      upTo.findIndex((sum) => at < sum),
    );
  };
  const others = Array.from({ length: objects - 1 }, (_, place) => (place < servers - 1 ? place + 1 : drawn()));
  for (let place = others.length - 1; place > 0; place--) {
    const other = Math.floor(random() * (place + 1));
    [others[place], others[other]] = [others[other] as number, others[place] as number];
  }
  return [0, ...others];
}

interface Draft {
  kind: PlannedKind;
  size_bytes: number;
  server: number;
  asker: number | null;
  how: PlannedObject["how"];
  isAsync: boolean;
  depth: number;
}

/** Who can still ask for one more. */
interface Asker {
  readonly place: number;
  readonly depth: number;
  room: number;
}

function askersOf(drafts: readonly Draft[], kind: PlannedKind): Asker[] {
  return drafts.flatMap((draft, place) =>
    draft.kind === kind
      ? [{ place, depth: draft.depth, room: Math.floor((draft.size_bytes - scriptText_bytes) / requestText_bytes) }]
      : [],
  );
}

function taken(askers: readonly Asker[], random: RandomSource): Asker | null {
  const able = askers.filter(({ room }) => room > 0);
  const asker = able[Math.floor(random() * able.length)];
  if (!asker) return null;
  asker.room--;
  return asker;
}

function assign(drafts: Draft[], random: RandomSource): void {
  const stylesheets = askersOf(drafts, "stylesheet");
  const running: Asker[] = [];
  // Scripts first, each by one that is there already, so that none asks for itself.
  for (const [place, draft] of drafts.entries()) {
    if (draft.kind !== "script") continue;
    const asker =
      random() < scriptedShare.script
        ? taken(
            running.filter(({ depth }) => depth < deepest),
            random,
          )
        : null;
    if (asker) Object.assign(draft, { asker: asker.place, how: "script", depth: asker.depth + 1 });
    else draft.isAsync = random() < asyncShare;
    running.push(...askersOf(drafts.slice(0, place + 1), "script").filter((each) => each.place === place));
  }
  for (const draft of drafts) {
    const { kind } = draft;
    if (kind === "document" || kind === "script") continue;
    const styles = kind === "font" || (kind === "image" && random() < backgroundShare);
    const stylesheet = styles ? taken(stylesheets, random) : null;
    if (stylesheet) {
      Object.assign(draft, { asker: stylesheet.place, how: "stylesheet" });
      continue;
    }
    const isScripted = random() < scriptedShare[kind];
    const script = isScripted ? taken(running, random) : null;
    if (script) Object.assign(draft, { asker: script.place, how: "script", depth: script.depth + 1 });
    // An inline script's.
    else if (kind === "data") draft.how = "script";
  }
}

/** A document's head before its body; what scripts and style sheets ask for stands anywhere. */
const headFirst = ({ kind }: Draft): number =>
  kind === "document" ? 0 : kind === "stylesheet" ? 1 : kind === "script" ? 2 : 3;

const microseconds = (time_ms: number): number => Math.round(time_ms * 1000) / 1000;

/** Times on a network without delay, in which a script runs when the blocking ones before it have. */
function timed(drafts: readonly Draft[], random: RandomSource): PlannedObject[] {
  const responding_ms = 20;
  const planned: PlannedObject[] = [];
  /** When each has come and, of scripts, run. */
  const ready_ms: number[] = [];
  let passed_ms = 0;
  let found = 0;
  const time = (place: number): void => {
    const draft = drafts[place];
    if (!draft || planned[place]) return;
    const { depth: _, ...object } = draft;
    if (draft.asker !== null) time(draft.asker);
    const computed = computation_ms.least + random() * (computation_ms.most - computation_ms.least);
    const wait_ms = draft.how === "script" ? computed : 0;
    const requested_ms = draft.asker === null ? 2 * responding_ms : (ready_ms[draft.asker] ?? 0);
    const sent_ms =
      place === 0 ? 0 : microseconds(requested_ms + wait_ms + (draft.how === "parser" ? 0.01 * found++ : 0.01));
    const arrived_ms = sent_ms + responding_ms;
    const isGate =
      draft.how === "parser" && (draft.kind === "stylesheet" || (draft.kind === "script" && !draft.isAsync));
    if (isGate) passed_ms = Math.max(passed_ms, arrived_ms);
    ready_ms[place] = isGate && draft.kind === "script" ? passed_ms : arrived_ms;
    planned[place] = { ...object, sent_ms, wait_ms: responding_ms };
  };
  for (let place = 0; place < drafts.length; place++) time(place);
  return planned;
}

/** Which of a page's servers are reached by https: all, or so many of the others than the document's. */
function secureServers({ servers, isHttps, httpsServers }: PageShape, random: RandomSource): boolean[] {
  const chosen = new Set(
    Array.from({ length: servers - 1 }, (_, place) => ({ server: place + 1, drawn: random() }))
      .sort((a, b) => a.drawn - b.drawn)
      .slice(0, httpsServers)
      .map(({ server }) => server),
  );
  return Array.from({ length: servers }, (_, server) => isHttps || chosen.has(server));
}

/** `sizes`: of the page's objects, none below `least_bytes`; `page`: its number in the corpus. */
export function plannedPage(
  shape: PageShape,
  sizes: readonly number[],
  least_bytes: number,
  seed: number,
  page: number,
): PlannedPage {
  const random = randomSource(seed, `page ${page}`);
  const placed = documentFirst(sizes, least_bytes, random);
  const on = serversOf(placed.length, shape.servers, random);
  const drafts = placed
    .map((size_bytes, place): Draft => {
      const kind = place === 0 ? "document" : kindOfSize(size_bytes, random);
      const server = on[place] ?? 0;
      return { kind, size_bytes, server, asker: null, how: "parser", isAsync: false, depth: 1 };
    })
    .map((draft, place) => ({ draft, place }))
    .sort((a, b) => headFirst(a.draft) - headFirst(b.draft) || a.place - b.place)
    .map(({ draft }) => draft);
  assign(drafts, random);
  return { objects: timed(drafts, random), isHttps: secureServers(shape, random) };
}
