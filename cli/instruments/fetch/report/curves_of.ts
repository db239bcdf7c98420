// Which distributions a report of fetches draws: of each number on each link over each version of IP, of sizes and of autonomous systems
// by themselves; and numbers by size class. Pure; quantity_cdf.ts and size_plot.ts draw.

import { median } from "../../../base/quantile.ts";
import { summarizeQuantity, type Unit, unitFor, unitValues } from "../answer/quantity_summary.ts";
import { type Fetched, variantKey, variantName, variantsOf } from "../metrics/fetched.ts";
import { type Quantity, quantities } from "../metrics/quantities.ts";
import { objectSizes, orderedClasses, sizeClasses } from "../metrics/size_class.ts";
import { linkName, variantClass } from "./fetch_words.ts";
import type { QuantityCdfData, QuantityCurve } from "./quantity_cdf.ts";
import type { SizeLine, SizePlotData, SizePoint } from "./size_plot.ts";

/** Distinguished by their colours and lines. */
const mostCurves = 8;

export interface Group {
  readonly of: readonly string[];
  readonly fetched: readonly Fetched[];
}

/** By link and version of IP, each where there is more than one: one figure has what a reader compares. */
export function groupsOf(fetched: readonly Fetched[]): Group[] {
  const [links, ips] = [new Set(fetched.map(({ link }) => link)), new Set(fetched.map(({ ip }) => ip))];
  return [...links].flatMap((link) =>
    [...ips].toSorted().flatMap((ip): Group[] => {
      const own = fetched.filter((each) => each.link === link && each.ip === ip);
      return own.length === 0 ? [] : [{ of: [linkName(link), ...(ips.size > 1 ? [`IPv${ip}`] : [])], fetched: own }];
    }),
  );
}

/** Null: nothing has the number. */
export function cdfOf(quantity: Quantity, { of, fetched }: Group, wanted?: Unit): QuantityCdfData | null {
  const facts = quantities[quantity];
  const unit = wanted ?? unitFor(fetched, facts);
  const variants = variantsOf(fetched);
  const all = variants.map((variant): QuantityCurve => {
    const own = fetched.filter((each) => variantKey(each) === variantKey(variant));
    const { values } = unitValues(own, facts, unit);
    return { name: variantName(variant, variants), className: variantClass(variant, variants), values };
  });
  const curves = all.filter(({ values }) => values.length > 0).slice(0, mostCurves);
  if (curves.length === 0) return null;
  const empty = all.filter(({ values }) => values.length === 0).map(({ name }) => name);
  return { quantity, facts, of, unit, curves, empty };
}

/** Of a number that is one of the host, whatever it is fetched over: a single curve. Null: fewer than two hosts have it. */
export function hostCdf(quantity: Quantity, fetched: readonly Fetched[]): QuantityCdfData | null {
  const facts = quantities[quantity];
  const { values } = unitValues(fetched, facts, "host");
  const curve = { name: "all", className: "", values };
  return values.length < 2 ? null : { quantity, facts, of: ["all hosts"], unit: "host", curves: [curve], empty: [] };
}

/** Null: there are fewer than two sizes. */
export function sizesOf(quantity: Quantity, { of, fetched }: Group): SizePlotData | null {
  const sizes = objectSizes(fetched);
  const classes = sizeClasses(sizes);
  const ordered = orderedClasses(classes);
  if (ordered.length < 2) return null;
  const variants = variantsOf(fetched);
  const lines = variants.map((variant): SizeLine => {
    const own = fetched.filter((each) => variantKey(each) === variantKey(variant));
    const points = ordered.flatMap(({ name }): SizePoint[] => {
      const ofClass = own.filter(({ object }) => classes.get(object)?.name === name);
      const { median: middle, interval, n } = summarizeQuantity(ofClass, quantity);
      if (middle === null) return [];
      const size_bytes = median(ofClass.flatMap(({ object }) => sizes.get(object) ?? []));
      return [{ size_bytes, sizes: name, median: middle, interval, n }];
    });
    return { name: variantName(variant, variants), className: variantClass(variant, variants), points };
  });
  const withPoints = lines.filter(({ points }) => points.length > 0);
  return withPoints.length === 0 ? null : { quantity, facts: quantities[quantity], of, lines: withPoints };
}
