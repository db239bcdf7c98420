// A link as people give it: its short form, or a JSON file that holds its profile (schemas/link-profile.schema.json).
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Ajv } from "ajv";
import { UserError } from "../errors.ts";
import { checkout } from "../programs.ts";
import { explainSchemaErrors } from "../schema_error.ts";
import { refuseChangedFiles, withAbsoluteFiles } from "./files.ts";
import { refuse } from "./form.ts";
import { formatLink, type LinkDirection, type LinkProfile, parseLink } from "./link.ts";

const schema = "schemas/link-profile.schema.json";

function documentIn(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refuse(`${path}: ${code === "ENOENT" ? "no such file: name another, or write the link" : code}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refuse(`${path}: not JSON (${(error as Error).message}): correct it`);
  }
}

/** What follows from the rest must not say otherwise. */
function refuseContradictions(said: LinkProfile, meant: LinkProfile): void {
  const compare = (place: string, value: number | null, follows: number | null) => {
    if (value !== follows) throw refuse(`${place} is ${value}, but from the rest follows ${follows}: correct it`);
  };
  compare("rtt_ms", said.rtt_ms, meant.rtt_ms);
  const compareSide = (side: "down" | "up", mine: LinkDirection, other: LinkDirection) => {
    const { trace, loss_model: model } = mine;
    if (!trace) compare(`${side}.rate_bps`, mine.rate_bps, other.rate_bps);
    compare(`${side}.delay_ms`, mine.delay_ms, other.delay_ms);
    if (!(model && "file" in model)) compare(`${side}.loss`, mine.loss, other.loss);
  };
  compareSide("down", said.down, meant.down);
  compareSide("up", said.up, meant.up);
}

function readProfile(path: string): LinkProfile {
  const validate = new Ajv({ allErrors: true, verbose: true }).compile<LinkProfile>(
    JSON.parse(readFileSync(join(checkout, schema), "utf8")),
  );
  const profile = documentIn(path);
  if (!validate(profile)) throw refuse(`${path}: ${explainSchemaErrors(validate.errors ?? [], schema)}`);
  const absolute = withAbsoluteFiles(profile, dirname(resolve(path)));
  refuseChangedFiles(absolute);
  try {
    const meant = parseLink(formatLink(absolute));
    refuseContradictions(absolute, meant);
    return meant;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw refuse(`${path}: ${error.message.replace(/^link: /, "")}`);
  }
}

/**
 * The link of a short form, or of a file of this kind, named from `folder`: `office.json`. UserError where it is none. Files
 * that a form names are as they were written, those that a profile names are absolute.
 */
export function readLink(text: string, folder: string): LinkProfile {
  const isFile = text.endsWith(".json") && !text.includes("=");
  return isFile ? readProfile(resolve(folder, text)) : parseLink(text);
}
