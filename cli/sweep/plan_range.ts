// What numbers a plan's setting may have, from its schema, for the option that stands for it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Range } from "../commands/option.ts";
import { checkout } from "../programs.ts";

interface NumberSchema {
  readonly type?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly oneOf?: readonly { readonly properties: Readonly<Record<string, NumberSchema>> }[];
}

interface PlanSchema {
  readonly properties: Readonly<Record<string, NumberSchema>>;
}

let schema: PlanSchema | null = null;

export function planRange(setting: string, unit?: string): Range {
  schema ??= JSON.parse(readFileSync(join(checkout, "schemas", "sweep-plan.schema.json"), "utf8")) as PlanSchema;
  const { type, minimum, exclusiveMinimum, maximum } = schema.properties[setting] ?? {};
  return {
    least: minimum ?? exclusiveMinimum ?? Number.NEGATIVE_INFINITY,
    most: maximum ?? Number.POSITIVE_INFINITY,
    above: exclusiveMinimum !== undefined,
    whole: type === "integer",
    ...(unit === undefined ? {} : { unit }),
  };
}
