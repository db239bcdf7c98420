// Measured times of one page on one link as the results have them, for extension/figures/distribution.ts to draw.
import { distributionFigure, type Gain } from "../../../extension/figures/distribution.ts";
import type { Markup } from "../../../extension/figures/markup.ts";
import { formatTime } from "../../base/numbers.ts";
import type { Load } from "../../results/store/results.ts";
import { calmed } from "../../results/verdict/busy_machine.ts";
import type { ComparedMetric } from "../../results/verdict/compared_metric.ts";
import { counted, countedTogether, isValid, timedOut } from "../../results/verdict/sample.ts";
import type { LaneSummary } from "../../results/verdict/summary.ts";
import { savedFigure } from "./figure_file.ts";

function story(load: Load, { title }: ComparedMetric): string {
  const outcome = load.status === "valid" ? "" : `, ${load.status}: ${load.reasons.join("; ")}`;
  const time = load.plt_ms === null ? `no ${title}` : formatTime(load.plt_ms);
  return `load ${load.id}, ${load.lane}, block ${load.block + 1}: ${time}${outcome}`;
}

interface Distribution {
  readonly loads: readonly Load[];
  readonly metric: ComparedMetric;
  /** What the report's answer says of these loads. */
  readonly gain?: Gain | null;
  /** With what its marks mean; default: yes. */
  readonly isExplained?: boolean;
}

export function distributionOf(
  name: string,
  lanes: readonly LaneSummary[],
  { loads, metric, gain = null, isExplained = true }: Distribution,
): Markup {
  // Where medians are without what other programs added, dots are, too: a median stands among its loads.
  const { loads: calm, slope } = calmed(countedTogether(loads));
  const calm_ms = new Map(calm.map(({ id, plt_ms }) => [id, plt_ms]));
  const plotted = lanes.map((summary) => ({
    ...summary,
    median: summary.median_ms,
    interval: summary.interval_ms,
    loads: loads
      .filter((load): load is Load & { plt_ms: number } => load.lane === summary.lane && load.plt_ms !== null)
      .filter((load) => !timedOut(load))
      .map((load) => ({
        value: calm_ms.get(load.id) ?? load.plt_ms,
        valid: isValid(load),
        story: story(load, metric),
      })),
  }));
  const left = loads.filter((load) => counted(load) === null).length;
  return savedFigure(distributionFigure(plotted, { left, metric, gain, isExplained, isCalmed: slope !== null }), {
    name: [metric.name.replace(/_ms$/, ""), name],
    columns: ["load_id", "lane", "block", "attempt", metric.name, "averaged", "status", "reasons"],
    rows: loads.map((load) => [
      ...[load.id, load.lane, load.block, load.attempt, load.plt_ms],
      ...[counted(load) !== null, load.status, load.reasons.join(" | ")],
    ]),
  });
}
