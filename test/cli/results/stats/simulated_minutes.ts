// Lanes whose loads rise and fall together block by block, as with slow minutes of a machine, and pages whose effects differ: studies of
// which the truth is known, for simulated_study.ts. Seeded; judges nothing.
import { median } from "../../../../cli/base/quantile.ts";
import { type RandomSource, randomSource } from "../../../../cli/base/random.ts";
import { type DrawStudy, drawnApart, type Noise, normal } from "./simulated_study.ts";

/** What both loads of a block take longer, as a logarithm. */
export const minutes: Readonly<Record<string, Noise>> = {
  "minutes 5 % apart": (random) => 0.05 * normal(random),
  "minutes 20 % apart": (random) => 0.2 * normal(random),
  "some minutes much slower": (random) => 0.1 * (Math.exp(0.8 * normal(random)) - 1),
};

/**
 * What does not differ: the two medians, or the two loads of a block, in the median. Noise that is alike on both sides makes these one;
 * of lanes with loads of two kinds, or a long side, they lie up to 3 % apart where the minutes outweigh it.
 */
export type Equal = "medians" | "loads of a block";

const draws = 40_001;

/** Where the lanes' medians, or the differences', are by `noise` and minute. */
function centreOf(name: string, draw: (random: RandomSource) => number): number {
  const random = randomSource(1, name);
  return median(Array.from({ length: draws }, () => draw(random)));
}

export function drawnTogether(shape: string, minute: string, equal: Equal): DrawStudy {
  const apart = drawnApart(shape);
  const shared = minutes[minute];
  if (!shared) throw new Error(`no minutes ${minute}`);
  const name = `${shape}, ${minute}`;
  const centre =
    equal === "medians"
      ? centreOf(`${name}, lane`, (random) => shared(random) + apart(random)(0).lane) -
        centreOf(`${name}, over`, (random) => shared(random) + apart(random)(0).over)
      : centreOf(name, (random) => {
          const { lane, over } = apart(random)(0);
          return lane - over;
        });
  return (random) => (page) => {
    const minute_ = shared(random);
    const { lane, over } = apart(random)(page);
    return { over: minute_ + over, lane: minute_ + lane - centre };
  };
}

/** log(lane / over) of a page, of which the mean over all pages is 0. */
export const pageEffects: Readonly<Record<string, Noise>> = {
  "effects 5 % apart": (random) => 0.05 * normal(random),
  "effects 20 % apart": (random) => 0.2 * normal(random),
  "a quarter of pages gains 20 %": (random) => 0.01 * normal(random) + (random() < 0.25 ? -0.2 : 0) + 0.05,
};

/** Pages like these: each study draws its own. */
export function drawnPages(shape: string, effects: string, pages: number): DrawStudy {
  const apart = drawnApart(shape);
  const effectOf = pageEffects[effects];
  if (!effectOf) throw new Error(`no effects ${effects}`);
  return (random) => {
    const ofPages = Array.from({ length: pages }, () => effectOf(random));
    const draw = apart(random);
    return (page) => {
      const { lane, over } = draw(page);
      return { over, lane: lane + (ofPages[page] ?? 0) };
    };
  };
}
