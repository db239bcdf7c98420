// Numbers by size class, of each group of fetches that one figure shows. Pure; size_plot.ts draws.
import { median } from "../../../base/quantile.ts";
import { summarizeQuantity } from "../answer/quantity_summary.ts";
import { variantKey, variantName, variantsOf } from "../metrics/fetched.ts";
import { type Quantity, quantities } from "../metrics/quantities.ts";
import { objectSizes, orderedClasses, sizeClasses } from "../metrics/size_class.ts";
import type { Group } from "./curves_of.ts";
import type { SizeLine, SizePlotData, SizePoint } from "./size_plot.ts";
import { variantClass } from "./variant_class.ts";

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
