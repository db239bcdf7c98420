// How much of what h3 gains over h2 is its congestion controller: where a sweep has h3 with quiche's CUBIC, which takes reductions of its
// window back, and with cubic-n1, which reacts to loss as Linux's CUBIC under h2 does. Over the same pages and links, so that the parts'
// ratios multiply to the whole. Pure; what lanes' origins serve is its caller's to say.

import { factorsApart } from "../../base/factors.ts";
import { factorsOf, type LaneLabel, laneOf } from "../../base/lanes.ts";
import { correctedTogether } from "../stats/multiplicity.ts";
import { compare } from "./comparison.ts";
import { counted, type LanePair, type Sample, sortLanes } from "./sample.ts";
import { comparisonClause, sentence, verdictPairs } from "./verdict.ts";

/** What of a lane's serving decides which lanes differ by the controller alone. */
export interface LaneControllers {
  readonly tcp: string;
  readonly quic: string;
  /** All that is served otherwise, in a form in which equal texts are equal terms. */
  readonly others: string;
}

/** Lanes' labels: h2 with Linux's CUBIC, h3 with quiche's CUBIC, and the same h3 with cubic-n1. */
export interface ControllerLanes {
  readonly h2: string;
  readonly own: string;
  readonly alike: string;
}

/** Null where a sweep has no such lanes. */
export function controllerLanes(
  labels: readonly LaneLabel[],
  controllersOf: (label: LaneLabel) => LaneControllers,
): ControllerLanes | null {
  const lanes = (sortLanes(labels) as LaneLabel[]).map((label) => ({
    label,
    lane: laneOf(label),
    ...controllersOf(label),
  }));
  const isBeside = (label: string, own: string): boolean => factorsApart(factorsOf(label), factorsOf(own)).length === 0;
  const h2 = lanes.filter(({ lane, tcp }) => lane === "h2" && tcp === "cubic");
  const h3 = lanes.filter(({ lane }) => lane === "h3");
  for (const own of h3.filter(({ quic }) => quic === "cubic")) {
    const alike = h3.find(
      ({ label, quic, others }) => quic === "cubic-n1" && others === own.others && isBeside(label, own.label),
    );
    const over = h2.find(({ label, others }) => others === own.others && isBeside(label, own.label));
    if (alike && over) return { h2: over.label, own: own.label, alike: alike.label };
  }
  return null;
}

const isIn = (label: string, { lane, over }: LanePair): boolean => label === lane || label === over;

/**
 * In two sentences; null where no page on a link has loads of all three. They stand beside the verdict's, and so are corrected together with
 * all its pairs: two of these are the same lanes.
 */
export function controllerSentences(
  samples: readonly Sample[],
  { h2, own, alike }: ControllerLanes,
  seed: number,
): [protocol: string, controller: string] | null {
  const places = Map.groupBy(samples, ({ page, link }) => JSON.stringify([page, link]));
  const whole = [...places.values()].filter((loads) =>
    [h2, own, alike].every((label) => loads.some((load) => load.lane === label && counted(load) !== null)),
  );
  if (whole.length === 0) return null;
  const together = whole.flat();
  const two: LanePair[] = [
    { lane: alike, over: h2 },
    { lane: own, over: alike },
  ];
  const isOfTwo = (pair: LanePair): boolean =>
    two.some((each) => [pair.lane, pair.over].every((lane) => isIn(lane, each)));
  const others = verdictPairs(together.map(({ lane }) => lane)).filter((pair) => !isOfTwo(pair));
  const [protocol, controller] = correctedTogether([...two, ...others].map((pair) => compare(together, pair, seed)));
  if (!protocol || !controller) return null;
  return [
    `The protocol alone, both with a CUBIC that takes no reduction back: ${sentence(comparisonClause(protocol))}`,
    `The controller alone, quiche’s CUBIC in place of cubic-n1: ${sentence(comparisonClause(controller))}`,
  ];
}
