// A plan's document, of pages or of flows: read from a file or a shipped plan's name, copied, held to its schema, its words fit for a
// terminal. What the plan means is its own room's.

import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { readForeignJson } from "../../base/foreign_file.ts";
import { explainSchemaErrors, schemaValidator } from "../../base/schema_error.ts";
import type { Serving } from "../../load/serving/serving.ts";

/** A plan with every default filled in. */
export interface Plan extends SweepPlan {
  readonly seed: number;
  readonly retries: number;
  readonly timeout_s: number;
  readonly settle_ms: number;
  readonly serving: Serving;
}

/** A plan is three deep; what is nested without end is found here, before a validator loses itself in it. */
function copyOf(document: unknown, source: string, schema: string): unknown {
  try {
    return structuredClone(document);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UserError(`plan ${source}: nested too deeply: see ${schema}`);
  }
}

/** A copy with the schema's defaults. `name`: schemas/NAME.schema.json. UserError naming `source` and the place in it. */
export function checkedDocument<Document>(document: unknown, source: string, name: string): Document {
  const schema = `schemas/${name}.schema.json`;
  const validate = schemaValidator<Document>(name, { useDefaults: true });
  const plan = copyOf(document, source, schema);
  if (!validate(plan)) throw new UserError(`plan ${source}: ${explainSchemaErrors(validate.errors ?? [], schema)}`);
  return plan;
}

/** What of a plan is shown to people: a terminal would take a control character for a command. */
export function refuseControls(words: readonly string[], source: string): void {
  const wrong = words.find((text) => /[^\P{Cc}\n\t]/u.test(text));
  if (wrong === undefined) return;
  throw new UserError(`plan ${source}: control characters in ${JSON.stringify(wrong.slice(0, 80))}: take them out`);
}

/** Names the plan in front of what is wrong with it. */
export function withinPlan<T>(source: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof UserError ? new UserError(`plan ${source}: ${error.message}`) : error;
  }
}

/** The plan that a command makes of its options: in errors, these are named by themselves, and not by the command. */
export function planOfOptions<T>(command: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof UserError ? new UserError(error.message.replace(`plan ${command}: `, "")) : error;
  }
}

/** The names of the plans in a folder that Trilane comes with. */
export function plansIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => basename(file, ".json"))
    .sort();
}

interface ReadDocument {
  readonly document: unknown;
  /** From which the links' files are named. */
  readonly folder: string;
}

/** A plan from a file, or one of those in `shipped` by its name. UserError where it is neither, or no JSON. */
export function readDocument(pathOrName: string, shipped: string): ReadDocument {
  const names = plansIn(shipped);
  const path = names.includes(pathOrName) ? join(shipped, `${pathOrName}.json`) : pathOrName;
  try {
    return { document: readForeignJson(path), folder: dirname(path) };
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new UserError(`plan ${pathOrName}: not JSON (${error.message}): correct it`);
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EACCES" || code === "EPERM")
      throw new UserError(`plan ${pathOrName}: may not be read: make it readable (chmod), or name another file`);
    if (code !== "ENOENT" && code !== "EISDIR") throw error;
    throw new UserError(`no plan ${pathOrName}: name a file, or one of ${names.join(", ")}`);
  }
}
