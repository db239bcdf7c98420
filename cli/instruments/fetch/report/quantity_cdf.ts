// The distribution of one number over hosts, objects or fetches, a line for each thing that they were fetched over. Draws given numbers.
import { html, type Markup } from "../../../../extension/figures/markup.ts";
import { count } from "../../../base/numbers.ts";
import { median } from "../../../base/quantile.ts";
import { axisUnits, formatValue } from "../../../registry/units.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import { sharePlot } from "../../../report/figures/share_plot.ts";
import type { Unit } from "../answer/quantity_summary.ts";
import type { QuantityFacts } from "../metrics/quantities.ts";
import { unitCount, unitNames } from "./fetch_words.ts";

export interface QuantityCurve {
  readonly name: string;
  /** Its colour and line. */
  readonly className: string;
  readonly values: readonly number[];
}

export interface QuantityCdfData {
  readonly quantity: string;
  readonly facts: QuantityFacts;
  /** What the figure is of, beside the number: link, version of IP, size, autonomous system. */
  readonly of: readonly string[];
  readonly unit: Unit;
  readonly curves: readonly QuantityCurve[];
  /** Names of what has no value. */
  readonly empty: readonly string[];
}

/** Some curve has a value. */
export function quantityCdf({ quantity, facts, of, unit, curves, empty }: QuantityCdfData): Markup {
  const { title, noun, unit: measure } = facts;
  const { per: perUnit, name: axisUnit } = axisUnits[measure];
  const text = (values: readonly number[]): string => formatValue(median(values), measure);
  const most = Math.max(...curves.map(({ values }) => values.length));
  const { plot, beyond } = sharePlot({
    title: of.join(" · "),
    label: `Share of ${unitNames[unit]} by ${noun}, ${of.join(", ")}; medians: ${curves.map(({ name, values }) => `${name} ${text(values)}`).join(", ")}`,
    axis: axisUnit === "" ? noun : `${noun}, ${axisUnit}`,
    unit: perUnit,
    hasLegendAbove: curves.length > 1,
    curves: curves.map(({ name, className, values }) => ({
      ...{ className, line: "cdf", values, isOfAxis: true },
      name: `${name} ${text(values)}`,
      tooltip: `${name}: median of ${unitCount(values.length, unit)} ${text(values)}`,
    })),
  });
  const figure = html`<figure data-quantity="${quantity}">${plot}<figcaption>Share of ${unitNames[unit]} by ${noun}; n = ${unitCount(most, unit)} at most; in the legend the median.${empty.length > 0 && ` None of ${empty.join("; ")}.`}${beyond > 0 && ` ${count(beyond, "value lies", "values lie")} beyond the axis.`}</figcaption></figure>`;
  return savedFigure(figure, {
    name: [title, ...of],
    columns: ["of", "over", quantity, "share"],
    rows: curves.flatMap(({ name, values }) =>
      values.toSorted((a, b) => a - b).map((value, index) => [of.join(", "), name, value, (index + 1) / values.length]),
    ),
  });
}
