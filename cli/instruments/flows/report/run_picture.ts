// The figure of a mix's runs from their records: one run in front, the others as bands. Chooses bins, groups and what the link is
// drawn with; the arithmetic is run_curves.ts's.
import { roundStep } from "../../../../extension/figures/scale.ts";
import type { LinkProfile } from "../../../../schemas/generated/link_profile.ts";
import { axisLeft, axisRight } from "../../../report/figures/axis.ts";
import { capacitySteps } from "../../../report/figures/capacity_steps.ts";
import { type Curve, thinned } from "../../../report/figures/curve.ts";
import type { FlowRecords } from "../records/flow_records.ts";
import { type DrawnGroup, drawnGroups, type MixPart } from "./drawn_groups.ts";
import type { PageDuringFlows } from "./page_row.ts";
import {
  type Bins,
  bandOf,
  binned,
  dropCurve,
  medianCurve,
  queueCurve,
  rateCurve,
  senderCurve,
  summed,
} from "./run_curves.ts";
import type { FlowPicture, PicturedFlow, Side } from "./run_figure.ts";

export interface PictureInput {
  /** What ran: mix and link. */
  readonly title: string;
  readonly parts: readonly MixPart[];
  /** Of one cell; valid ones. The first is in front. */
  readonly runs: readonly [FlowRecords, ...FlowRecords[]];
  /** How many valid runs there are, of which `runs` are drawn. */
  readonly ofRuns: number;
  /** Of the run in front: `run 3`. */
  readonly shown: string;
  /** Of each flow in the run in front, as its metrics have it. */
  readonly goodput_bps: readonly (number | null)[];
  readonly page: PageDuringFlows | null;
}

/** Shorter bins would show packets, not a rate. */
const leastBin_ms = 100;
const mostBins = 300;

/** Bins of a round length: some two pixels each, and at least a twentieth of the run where it is short. */
export function binsOf(end_ms: number): Bins {
  const length_ms = Math.max(roundStep(end_ms, mostBins), Math.min(leastBin_ms, roundStep(end_ms, 20)));
  return { length_ms, count: Math.max(1, Math.floor(end_ms / length_ms + 1e-9)) };
}

/** What a loss delays arrives at once a round trip later: over less than some round trips a rate leaps beyond the link's. */
const roundTripsOfRate = 4;

/** Over how long rates are reported, of a round length. */
function rateSpan(bins: Bins, { rtt_ms }: LinkProfile): number {
  return Math.max(bins.length_ms, roundStep(Math.max(1, roundTripsOfRate * rtt_ms), 1));
}

const rateOf = (link: LinkProfile, side: Side): number | null => {
  const { rate_bps, rate_steps, trace } = link[side];
  return rate_steps || trace || link.switch ? null : rate_bps;
};

/** Where one number is it: one rate, one delay, one direction or two alike. */
function bdpOf(link: LinkProfile, sides: readonly Side[]): number | null {
  const rates = new Set(sides.map((side) => rateOf(link, side)));
  const [rate_bps = null] = rates;
  return rates.size !== 1 || rate_bps === null || baseRttOf(link) === null ? null : (rate_bps * link.rtt_ms) / 8000;
}

const baseRttOf = ({ rtt_ms, down, up, switch: other }: LinkProfile): number | null =>
  down.delay_steps || up.delay_steps || other ? null : rtt_ms;

const perMs_ns = 1e-6;

function picturedFlow(
  group: DrawnGroup,
  { runs, goodput_bps }: PictureInput,
  bins: Bins,
  end_ms: number,
): PicturedFlow {
  const { number, name, members } = group;
  const [front] = runs;
  const column_ms = end_ms / (axisRight - axisLeft);
  const isOne = members.length === 1;
  const sampled = (column: "cwnd_bytes" | "srtt_ns", by: number) => {
    const ofRun = (records: FlowRecords): Curve[] =>
      members.map((flow) => binned(senderCurve(records, flow, column, by), bins));
    const ofFront = ofRun(front);
    const means = medianCurve(ofFront, bins);
    const line = isOne ? thinned(senderCurve(front, members[0] as number, column, by), column_ms) : means;
    const over = runs.length > 1 ? runs.map((records) => medianCurve(ofRun(records), bins)) : ofFront;
    return { line, means, band: bandOf(over, bins) };
  };
  const [window, rtt] = [sampled("cwnd_bytes", 1), sampled("srtt_ns", perMs_ns)];
  const rate_ms = rateSpan(bins, front.shaper.link);
  const rates = runs.map((records) => rateCurve(records, members, bins, rate_ms));
  const drops = dropCurve(front, members);
  const goodputs = members.map((flow) => goodput_bps[flow] ?? null);
  return {
    number,
    name,
    flows: members.length,
    direction: front.run.flows[members[0] as number]?.direction ?? "down",
    goodput_bps: goodputs.reduce((sum, each) => (sum === null || each === null ? null : sum + each), 0),
    rate_bps: rates[0] as Curve,
    window_bytes: window.line,
    rtt_ms: rtt.line,
    bands: { rate_bps: bandOf(rates, bins), window_bytes: window.band, rtt_ms: rtt.band },
    drops,
    binned: { window_bytes: window.means, rtt_ms: rtt.means, drops: summed(drops, bins) },
  };
}

function pings({ near, start_ns }: FlowRecords): Curve | null {
  if (near.ping === null || near.ping.replies.length === 0) return null;
  const replies = near.ping.replies.toSorted((a, b) => a.sent_ns - b.sent_ns);
  return {
    time_ms: replies.map(({ sent_ns }) => (sent_ns - start_ns) * perMs_ns),
    value: replies.map(({ rtt_ns }) => rtt_ns * perMs_ns),
  };
}

export function pictureOf(input: PictureInput): FlowPicture {
  const [front] = input.runs;
  const end_ms = Math.max(1, (front.near.end_ns - front.start_ns) * perMs_ns);
  const bins = binsOf(end_ms);
  const { link } = front.shaper;
  const sides = (["down", "up"] as const).filter((side) => front.run.flows.some(({ direction }) => direction === side));
  const linkStart_ms = (front.shaper.start_ns - front.start_ns) * perMs_ns;
  const ping = pings(front);
  return {
    title: input.title,
    end_ms,
    flows: drawnGroups(front.run.flows, input.parts).map((group) => picturedFlow(group, input, bins, end_ms)),
    rateSpan_ms: rateSpan(bins, link),
    capacity: sides.flatMap((side) => {
      const steps = capacitySteps(link, side, linkStart_ms);
      return steps ? [{ side, steps }] : [];
    }),
    baseRtt_ms: baseRttOf(link),
    bdp_bytes: bdpOf(link, sides),
    queue: sides.map((side) => ({ side, delay_ms: queueCurve(front, side, bins) })),
    ping_ms: ping && { line: thinned(ping, end_ms / (axisRight - axisLeft)), binned: binned(ping, bins) },
    shown: input.shown,
    runs: input.runs.length,
    ofRuns: input.ofRuns,
    page: input.page,
  };
}
