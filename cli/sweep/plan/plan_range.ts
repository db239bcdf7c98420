// What numbers a plan's setting may have, from its schema, for the option that stands for it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Range } from "../../base/option.ts";
import { checkout } from "../../base/programs.ts";

interface NumberSchema {
  readonly type?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

type Settings = Readonly<Record<string, NumberSchema>>;

interface PlanSchema {
  readonly properties: Settings;
  readonly definitions: {
    readonly until?: { readonly oneOf: readonly { readonly properties: Settings }[] };
    readonly cross_traffic?: { readonly properties: Settings };
  };
}

/** By the schema's name. */
const known = new Map<string, Settings>();

function readSettings(schema: string): Settings {
  const path = join(checkout, "schemas", `${schema}.schema.json`);
  const { properties, definitions } = JSON.parse(readFileSync(path, "utf8")) as PlanSchema;
  const { until, cross_traffic } = definitions;
  const rules = (until?.oneOf ?? []).map((rule) => rule.properties);
  return Object.assign({}, properties, ...rules, cross_traffic?.properties);
}

/** Of a plan's setting, or of one of its `until` or `cross_traffic`. `schema`: the plan's. */
export function planRange(setting: string, unit?: string, schema = "sweep-plan"): Range {
  const settings = known.get(schema) ?? readSettings(schema);
  known.set(schema, settings);
  const { type, minimum, exclusiveMinimum, maximum } = settings[setting] ?? {};
  return {
    least: minimum ?? exclusiveMinimum ?? 0,
    ...(maximum === undefined ? {} : { most: maximum }),
    above: exclusiveMinimum !== undefined,
    whole: type === "integer",
    ...(unit === undefined ? {} : { unit }),
  };
}
