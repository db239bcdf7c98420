// A page's live and replayed loads side by side: requests, connections, bytes and PLT for each lane, and how sure the
// difference of the PLTs is. Pure.

import type { Interval } from "../../cli/base/interval.ts";
import { median } from "../../cli/base/quantile.ts";
import { hashText, randomSource } from "../../cli/base/random.ts";
import { textTable } from "../../cli/base/text_table.ts";
import { resampledInterval } from "../../cli/results/stats/bootstrap.ts";
import type { SeenLoad } from "./seen_load.ts";

export interface LoadPair {
  readonly live: SeenLoad;
  readonly replayed: SeenLoad;
}

export interface Cell<Pair extends LoadPair = LoadPair> {
  readonly page: string;
  readonly lane: string;
  readonly pairs: readonly Pair[];
}

export interface PltDifference {
  readonly live_ms: number;
  readonly replayed_ms: number;
  /** Of the medians, in per cent of the live one: negative where the replay is faster. */
  readonly percent: number;
  /** 95 %; null where there are too few pairs. */
  readonly interval: Interval | null;
}

/** Live and replayed loads of one pair ran one after the other, and are drawn together. */
export function pltDifference({ page, lane, pairs }: Cell): PltDifference {
  const live = Float64Array.from(pairs, (pair) => pair.live.plt_ms);
  const replayed = Float64Array.from(pairs, (pair) => pair.replayed.plt_ms);
  const percentOf = (from: number, to: number): number => (to / from - 1) * 100;
  const drawnLive = new Float64Array(pairs.length);
  const drawnReplayed = new Float64Array(pairs.length);
  const draw = (random: () => number): number => {
    for (let index = 0; index < pairs.length; index++) {
      const drawn = Math.floor(random() * pairs.length);
      drawnLive[index] = live[drawn] ?? Number.NaN;
      drawnReplayed[index] = replayed[drawn] ?? Number.NaN;
    }
    return percentOf(median([...drawnLive]), median([...drawnReplayed]));
  };
  const live_ms = median([...live]);
  const replayed_ms = median([...replayed]);
  const random = randomSource(hashText(`${page} ${lane}`));
  const interval = pairs.length < 5 ? null : resampledInterval(draw, random);
  return { live_ms, replayed_ms, percent: percentOf(live_ms, replayed_ms), interval };
}

const sumOf = ({ resources }: SeenLoad): number => [...resources.values()].reduce((sum, bytes) => sum + bytes, 0);

const signed = (value: number): string => `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(1)}`;

const intervalText = (interval: Interval | null): string =>
  interval ? `${signed(interval.low)} to ${signed(interval.high)}` : "too few";

/** Lines: a head, and two lines for each cell. Values are medians. */
export function fidelityTable(cells: readonly Cell[]): string[] {
  const rows = cells.flatMap((cell) => {
    const { page, lane, pairs } = cell;
    const { live_ms, replayed_ms, percent, interval } = pltDifference(cell);
    const row = (name: "live" | "replayed", plt_ms: number): string[] => {
      const of = (value: (load: SeenLoad) => number): string =>
        median(pairs.map((pair) => value(pair[name]))).toFixed(0);
      return [
        of(({ resources }) => resources.size),
        of(({ connections }) => connections),
        of(sumOf),
        plt_ms.toFixed(0),
      ];
    };
    return [
      [page, lane, "live", ...row("live", live_ms), "", "", String(pairs.length)],
      [
        "",
        "",
        "replayed",
        ...row("replayed", replayed_ms),
        signed(percent),
        intervalText(interval),
        String(pairs.length),
      ],
    ];
  });
  const head = ["page", "lane", "", "requests", "connections", "bytes", "PLT ms", "off by %", "95 % interval", "loads"];
  return textTable([head, ...rows]);
}
