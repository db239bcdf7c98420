// Why one lane was faster, in one line: what differed on the critical paths of the loads that are stored, in milliseconds of the
// difference. Pure. A description of these loads: that a part of the path differs is measured, that lost packets made it differ
// is inferred, as said below, and named only where the numbers allow it.
import { laneFamily, laneName } from "../../base/lanes.ts";
import { count, sentenceTime } from "../../base/numbers.ts";
import { type PathEvidence, type PathPart, pathParts } from "../../load/metrics/path_evidence.ts";
import type { Direction } from "../verdict/comparison.ts";
import { counted, type LanePair, type Sample, timedOut } from "../verdict/sample.ts";

/** One page on one link: means over its loads. */
export interface CellEvidence {
  readonly lane: PathEvidence;
  readonly over: PathEvidence;
}

/** A part is worth a word from this share of the difference on. */
const leastShare = 0.2;
/** Parts that work against the difference: from this share on. */
const leastAgainst = 0.4;
/** Of a difference that was not shown: parts that cancel out, from this share of the load time on. */
const leastCancelled = 0.03;
const mostParts = 3;
/** How near to a whole number of round trips a time must be to be called so. */
const nearlyWhole = 0.25;
/** What one lost packet can cost a path at most: a retransmission time-out (RFC 6298 has 1 s at first, Linux and quiche 0.2 s at least). */
const timeOut_ms = 200;

/** The two sides of the story, whichever the pair's first lane is. */
interface Side {
  readonly lane: string;
  readonly of: (cell: CellEvidence) => PathEvidence;
}

interface Story {
  readonly cells: readonly CellEvidence[];
  readonly winner: Side;
  readonly loser: Side;
}

const meanOf = (cells: readonly CellEvidence[], of: (cell: CellEvidence) => number): number =>
  cells.reduce((sum, cell) => sum + of(cell), 0) / cells.length;

/** Positive: the winner spends less. */
const savedBy = ({ cells, winner, loser }: Story, part: PathPart): number =>
  meanOf(cells, (cell) => loser.of(cell)[part] - winner.of(cell)[part]);

const swapped = ({ cells, winner, loser }: Story): Story => ({ cells, winner: loser, loser: winner });

/** `2 fewer round trips`; null: it is no whole number of them. */
function tripsWords({ cells, winner, loser }: Story, part: PathPart): string | null {
  if (cells.some((cell) => winner.of(cell).rtt_ms < 5)) return null;
  const trips = meanOf(cells, (cell) => (loser.of(cell)[part] - winner.of(cell)[part]) / winner.of(cell).rtt_ms);
  const whole = Math.round(trips);
  if (whole < 1 || Math.abs(trips - whole) > nearlyWhole) return null;
  return whole === 1 ? "one round trip less" : `${whole} fewer round trips`;
}

const isTcp = (lane: string): boolean => laneFamily(lane) === "h1" || laneFamily(lane) === "h2";

/** Packets lost a load, over cells that know it. */
function lostOf(cells: readonly CellEvidence[], of: Side["of"]): number | null {
  const known = cells.map(of).flatMap(({ lost_packets }) => lost_packets ?? []);
  return known.length < cells.length ? null : known.reduce((sum, lost) => sum + lost, 0) / known.length;
}

const whole = (value: number): string => String(Math.round(value));

/**
 * What held responses up. Head-of-line blocking is named where the slower lane has all streams of a host on one TCP connection
 * (HTTP/2), the faster one has not, packets were lost, the faster lane did not lose far fewer, and so many losses can have cost so
 * much. Far fewer losses are named as such.
 */
function responsesWords(story: Story, saved_ms: number): string {
  const { cells, winner, loser } = story;
  const [ms, fast, slow] = [sentenceTime(saved_ms), laneName(winner.lane), laneName(loser.lane)];
  const [lostFast, lostSlow] = [lostOf(cells, winner.of), lostOf(cells, loser.of)];
  const [connectionsFast, connectionsSlow] = [winner, loser].map(({ of }) =>
    Math.round(meanOf(cells, (cell) => of(cell).connections)),
  ) as [number, number];
  if (lostFast !== null && lostSlow !== null && lostSlow >= 0.5) {
    if (lostSlow >= lostFast * 1.5 + 2)
      return `${fast}’s responses arrive ${ms} sooner, with ${whole(lostFast)} packets lost a load against ${whole(lostSlow)}`;
    const rtt_ms = meanOf(cells, (cell) => loser.of(cell).rtt_ms);
    const canBe = saved_ms <= lostSlow * (rtt_ms + timeOut_ms);
    if (laneFamily(loser.lane) === "h2" && laneFamily(winner.lane) !== "h2" && canBe)
      return `${ms} less held up by losses (${whole(lostSlow)} packets a load), each of which stops all responses on ${slow}’s ${connectionsSlow === 1 ? "one TCP connection" : "TCP connection to a host"} (head-of-line blocking)`;
    return `${fast}’s responses arrive ${ms} sooner, with ${whole(lostFast)} and ${whole(lostSlow)} packets lost a load`;
  }
  if (connectionsFast >= 2 * connectionsSlow && isTcp(winner.lane))
    return `${fast}’s responses arrive ${ms} sooner over ${count(connectionsFast, "connection")} (${slow}: ${connectionsSlow})`;
  return `${fast}’s responses arrive ${ms} sooner`;
}

function partWords(story: Story, part: PathPart, saved_ms: number): string {
  const { cells, winner, loser } = story;
  const [ms, fast, slow] = [sentenceTime(saved_ms), laneName(winner.lane), laneName(loser.lane)];
  const trips = tripsWords(story, part);
  switch (part) {
    case "setup_ms":
      return trips === null ? `${fast} connects in ${ms} less` : `${fast} connects in ${trips} (${ms})`;
    case "queued_ms": {
      if (laneFamily(loser.lane) !== "h1") return `requests wait ${ms} less in the browser before they are sent`;
      const connections = Math.round(meanOf(cells, (cell) => loser.of(cell).connections));
      return `requests wait ${ms} less for a connection (${slow} has ${connections}, for one request at a time each)`;
    }
    case "roundTrips_ms":
      return trips === null
        ? `fewer requests wait for one another (${ms})`
        : `requests wait for one another in ${trips} (${ms})`;
    case "linkQueue_ms":
      return `${ms} less in the link’s queue`;
    case "responses_ms":
      return responsesWords(story, saved_ms);
    case "computation_ms":
      return `${slow} spends ${ms} more without a request under way`;
  }
}

interface Part {
  readonly part: PathPart;
  readonly saved_ms: number;
}

/** The largest first. */
function partsOf(story: Story, least_ms: number): Part[] {
  return pathParts
    .map((part) => ({ part, saved_ms: savedBy(story, part) }))
    .filter(({ saved_ms }) => saved_ms >= least_ms)
    .toSorted((a, b) => b.saved_ms - a.saved_ms)
    .slice(0, mostParts);
}

const wordsOf = (story: Story, parts: readonly Part[]): string =>
  parts.map(({ part, saved_ms }) => partWords(story, part, saved_ms)).join("; ");

export const whyUnknown = "Why: not known from what was stored.";

/** Two lanes that are as fast because what one gains the other gains elsewhere; null: nothing of the kind. */
function cancelledLine(story: Story): string | null {
  const least_ms = leastCancelled * meanOf(story.cells, ({ over }) => over.plt_ms);
  const turned = swapped(story);
  const [gains, losses] = [partsOf(story, least_ms), partsOf(turned, least_ms)];
  if (gains.length === 0 || losses.length === 0) return null;
  return `Why: ${wordsOf(story, gains)}; but ${wordsOf(turned, losses)}.`;
}

/** Named parts that make more or less than so much of the whole difference leave a reader asking for it. */
const leastUnnamed = 0.05;

const sumOf = (parts: readonly Part[]): number => parts.reduce((sum, { saved_ms }) => sum + saved_ms, 0);

/** What all other parts come to, so that the named ones fit the whole difference; and what of several pages and links it is. */
function togetherWords(all_ms: number, parts: readonly Part[], against: readonly Part[], cells: number): string {
  const other_ms = all_ms - (sumOf(parts) - sumOf(against));
  const rest =
    Math.abs(other_ms) < leastUnnamed * all_ms
      ? ""
      : `; all else ${other_ms > 0 ? "saves" : "costs"} ${sentenceTime(Math.abs(other_ms))}`;
  return cells > 1 ? `${rest}, on average over the ${cells} combinations of page and link` : rest;
}

/**
 * `direction`: what was shown of `pair.lane`. One line from `Why:` to its full stop; null where there is no difference to explain.
 */
export function whyLine(pair: LanePair, direction: Direction, cells: readonly CellEvidence[]): string | null {
  const lane: Side = { lane: pair.lane, of: (cell) => cell.lane };
  const over: Side = { lane: pair.over, of: (cell) => cell.over };
  if (direction === "unknown") return null;
  if (direction === "unclear") return cells.length === 0 ? null : cancelledLine({ cells, winner: lane, loser: over });
  if (cells.length === 0) return whyUnknown;
  const story = direction === "faster" ? { cells, winner: lane, loser: over } : { cells, winner: over, loser: lane };
  const all_ms = meanOf(cells, (cell) => story.loser.of(cell).plt_ms - story.winner.of(cell).plt_ms);
  // The loads that were looked at are the other way round: they are not those to ask.
  if (all_ms <= 0) return whyUnknown;
  const parts = partsOf(story, leastShare * all_ms);
  if (parts.length === 0) return whyUnknown;
  const turned = swapped(story);
  const against = partsOf(turned, leastAgainst * all_ms).slice(0, 1);
  const but = against.length > 0 ? `; against that, ${wordsOf(turned, against)}` : "";
  return `Why: ${wordsOf(story, parts)}${but}${togetherWords(all_ms, parts, against, cells.length)}.`;
}

/**
 * Of a difference that is known to be at least so large, because loads of the slower lane timed out: those that ended are the quick
 * ones, and their paths explain nothing.
 */
export function timedOutLine(slower: string, loads: readonly Sample[]): string {
  const of = loads.filter((load) => load.lane === slower && counted(load) !== null);
  return `Why: ${of.filter(timedOut).length} of ${laneName(slower)}’s ${count(of.length, "load")} timed out; those that ended do not show what held these up.`;
}
