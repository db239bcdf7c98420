// How many servers, objects and bytes each page of a corpus has, so that every one of these follows its own distribution and
// a page of many objects also has many servers and bytes. Pure: the same seed gives the same pages.
//
// A Gaussian copula (Nelsen, An Introduction to Copulas, 2006, 2.3; by ranks as Iman and Conover, 1982): each page draws
// correlated normals; within each attribute these are replaced by their ranks, and rank r of n takes the quantile at
// (r - 1/2) / n. So the marginals are met exactly whatever the seed, and the seed decides which page has which rank.
// Pages that cannot be (more servers than objects, fewer bytes than objects need) exchange that value with another page.
import { UserError } from "../../base/errors.ts";
import { type RandomSource, randomSource } from "../../base/random.ts";
import { leastTotal_bytes, normalScore, type PageDistributions, quantileFunction } from "./distributions.ts";

export interface PageShape {
  readonly servers: number;
  /** The document is one of them. */
  readonly objects: number;
  readonly total_bytes: number;
  /** Whether the document comes by https, and so everything else. */
  readonly isHttps: boolean;
  /** Of a page by http: how many of the servers beside the document's are reached by https. */
  readonly httpsServers: number;
}

/**
 * Of the normals where the distributions say none; of our own choice, as the thesis gives none. Objects need servers more than
 * bytes, which a single picture can decide.
 */
const usualCorrelations = { objects_servers: 0.8, objects_total: 0.7, servers_total: 0.5 } as const;

/** A standard normal. */
function normalDraw(random: RandomSource): number {
  return normalScore(Math.min(1 - 1e-12, Math.max(1e-12, random())));
}

/** The numbers of 0 to n - 1 by which the values would be sorted, by place. */
function ranksOf(values: readonly number[]): number[] {
  const ranks: number[] = new Array(values.length).fill(0);
  const order = values.map((_, place) => place).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0) || a - b);
  for (const [rank, place] of order.entries()) ranks[place] = rank;
  return ranks;
}

interface Scores {
  readonly objects: number[];
  readonly servers: number[];
  readonly total_bytes: number[];
  readonly https: number[];
}

function scoresOf(given: PageDistributions, pages: number, random: RandomSource): Scores {
  const scores: Scores = { objects: [], servers: [], total_bytes: [], https: [] };
  const {
    objects_servers: servers,
    objects_total: total_bytes,
    servers_total,
  } = given.correlations ?? usualCorrelations;
  // The Cholesky factor of their matrix, objects first.
  const own = Math.sqrt(1 - servers ** 2);
  const shared = (servers_total - servers * total_bytes) / own;
  const rest = Math.sqrt(1 - total_bytes ** 2 - shared ** 2);
  if (!(rest >= 0))
    throw new UserError(`${given.source}: no pages have these three correlations at once: correct them`);
  for (let page = 0; page < pages; page++) {
    const [a, b, c] = [normalDraw(random), normalDraw(random), normalDraw(random)];
    scores.objects.push(a);
    scores.servers.push(servers * a + own * b);
    scores.total_bytes.push(total_bytes * a + shared * b + rest * c);
    scores.https.push(random());
  }
  return scores;
}

/**
 * Exchanges values between pages until each page's `fits` it: with the page whose value is the nearest, so that the order
 * stays as far as it can. Where single exchanges do not do, the larger values go to the pages that need them.
 */
function exchange(values: number[], need: readonly number[], fits: (value: number, page: number) => boolean): boolean {
  for (let page = 0; page < values.length; page++) {
    const value = values[page] as number;
    if (fits(value, page)) continue;
    let best: number | null = null;
    for (let other = 0; other < values.length; other++) {
      const theirs = values[other] as number;
      if (!fits(theirs, page) || !fits(value, other)) continue;
      if (best === null || Math.abs(Math.log(theirs / value)) < Math.abs(Math.log((values[best] as number) / value)))
        best = other;
    }
    if (best === null) {
      const sorted = values.toSorted((a, b) => a - b);
      for (const [place, rank] of ranksOf(need).entries()) values[place] = sorted[rank] as number;
      return values.every(fits);
    }
    values[page] = values[best] as number;
    values[best] = value;
  }
  return true;
}

/** A server for each object at most; of the smallest pages all may be elsewhere. UserError where no pages can be so. */
export function pageShapes(distributions: PageDistributions, pages: number, seed: number): PageShape[] {
  const { servers, objects, total_bytes, https, pages: of } = distributions;
  const scores = scoresOf(distributions, pages, randomSource(seed, "corpus"));
  const drawn = (quantiles: readonly number[], by: readonly number[]): number[] => {
    const valueAt = quantileFunction(quantiles, of);
    return ranksOf(by).map((rank) => Math.round(valueAt((rank + 0.5) / pages)));
  };
  const objectsOf = drawn(objects, scores.objects);
  const serversOf = drawn(servers, scores.servers);
  const totalOf = drawn(total_bytes, scores.total_bytes);
  const ofObjects = (page: number): number => objectsOf[page] as number;
  if (!exchange(serversOf, objectsOf, (value, page) => value <= ofObjects(page)))
    throw new UserError(
      `${distributions.source}: servers are more than objects on some pages: correct their quantiles`,
    );
  if (!exchange(totalOf, objectsOf, (value, page) => value >= leastTotal_bytes(ofObjects(page))))
    throw new UserError(
      `${distributions.source}: total_bytes do not hold the objects of some pages: correct their quantiles`,
    );
  const secure = ranksOf(scores.https);
  // Counted on from page to page, so that the share is met whatever the seed.
  let others = 0;
  return objectsOf.map((count, page) => {
    const onPage = serversOf[page] as number;
    const isHttps = (secure[page] as number) < Math.round(https.pages * pages);
    const before = others;
    if (!isHttps) others += onPage - 1;
    const httpsServers = Math.round(https.other_origins * others) - Math.round(https.other_origins * before);
    return { servers: onPage, objects: count, total_bytes: totalOf[page] as number, isHttps, httpsServers };
  });
}
