// A link as people give it: its short form, or a JSON file that holds its profile (schemas/link-profile.schema.json).

import { dirname, resolve } from "node:path";
import { UserError } from "../base/errors.ts";
import { readForeignJson } from "../base/foreign_file.ts";
import { explainSchemaErrors, schemaValidator } from "../base/schema_error.ts";
import { innerComma, mapSwitchedTo, refuseChangedFiles, withAbsoluteFiles } from "./files.ts";
import {
  askAhead,
  defaultSeed,
  describeLink,
  type LinkProfile,
  parseLink,
  refuse,
  refuseWithoutDelay,
} from "./link.ts";

// Whether a profile in JSON says just what its short form does: what the form would drop or replace is named, with its
// place, instead of being taken for something else. Pure.

type Json = unknown;

function isObject(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What one read of the files alone would tell, and the sums, which the form does not have. */
function withoutFigures(profile: LinkProfile): Json {
  const direction = ({ trace, jitter, loss_model, ...rest }: LinkProfile["down"]): Json => {
    const isLossFile = loss_model !== undefined && "file" in loss_model;
    return {
      ...rest,
      ...(trace ? { rate_bps: null, trace: { ...trace, sha256: undefined } } : {}),
      ...(jitter ? { jitter: "file" in jitter ? { file: jitter.file } : jitter } : {}),
      ...(loss_model ? { loss_model: isLossFile ? { file: loss_model.file } : loss_model } : {}),
      ...(isLossFile ? { loss: 0 } : {}),
    };
  };
  const { switch: other } = profile;
  const link = other ? { ...other.link, down: direction(other.link.down), up: direction(other.link.up) } : undefined;
  return {
    ...profile,
    down: direction(profile.down),
    up: direction(profile.up),
    ...(other ? { switch: { ...other, link } } : {}),
  };
}

/** Times are whole nanoseconds; what is computed, as a third of something, has 12 digits. */
function isSameNumber(key: string, a: number, b: number): boolean {
  const isTime = key === "ms" || key.endsWith("_ms");
  // Each way is rounded, up to the half of a whole round trip.
  if (isTime && a > 0 && b > 0 && Math.abs(a - b) <= 2e-6) return true;
  return a.toPrecision(12) === b.toPrecision(12);
}

const shown = (value: Json): string => (isObject(value) || Array.isArray(value) ? "something else" : String(value));

function compare(place: string, key: string, said: Json, meant: Json): void {
  if (typeof said === "number" && typeof meant === "number" && isSameNumber(key, said, meant)) return;
  if (said === meant) return;
  if (meant === undefined) throw refuse(`${place} does not go with the rest, or says nothing: take it out`);
  const below = place === "" ? "" : `${place}.`;
  if (Array.isArray(said) && Array.isArray(meant)) {
    said.forEach((value, index) => {
      compare(`${place}[${index}]`, key, value, meant[index]);
    });
  } else if (isObject(said) && isObject(meant)) {
    for (const name of Object.keys(said)) compare(`${below}${name}`, name, said[name], meant[name]);
  } else {
    throw refuse(`${place} is ${shown(said)}, but from the rest follows ${shown(meant)}: correct it`);
  }
}

/** UserError with the place in `said` that its form, read as `meant`, says otherwise. */
function refuseContradictions(said: LinkProfile, meant: LinkProfile): void {
  for (const side of ["down", "up"] as const) {
    const { rate_steps, delay_steps } = said[side];
    for (const [name, steps] of Object.entries({ rate_steps, delay_steps })) {
      const at_ms = steps?.[0].at_ms ?? 0;
      if (at_ms !== 0) throw refuse(`${side}.${name}[0].at_ms is ${at_ms}: the first step is at 0`);
    }
  }
  compare("", "", withoutFigures(said), withoutFigures(meant));
}

const schema = "schemas/link-profile.schema.json";

function documentIn(path: string): unknown {
  try {
    return readForeignJson(path);
  } catch (error) {
    if (error instanceof UserError) throw refuse(error.message);
    // Not the parser's words, which quote the file: whoever names it need not be who may read it.
    if (error instanceof SyntaxError) throw refuse(`${path}: not JSON: correct it, or name another file`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EISDIR") throw refuse(`${path}: is a folder: name a JSON file of a profile, or write the link`);
    throw refuse(
      `${path}: ${code === "ENOENT" ? "no such file" : `cannot be read (${code})`}: name another, or write the link`,
    );
  }
}

/** As it is written, its files with absolute paths. */
function writtenProfile(path: string): LinkProfile {
  const validate = schemaValidator<LinkProfile>("link-profile");
  const profile = documentIn(path);
  if (!validate(profile)) throw refuse(`${path}: ${explainSchemaErrors(validate.errors ?? [], schema)}`);
  const absolute = withAbsoluteFiles(profile, dirname(resolve(path)));
  refuseChangedFiles(absolute);
  return absolute;
}

function meantProfile(path: string, absolute: LinkProfile): LinkProfile {
  try {
    const meant = describeLink(absolute).profile;
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
  const [link] = readLinks([text], folder);
  if (!link) throw new Error("unreachable: each text is a link");
  return link;
}

/** The same of many, which cost hardly more than one. */
export function readLinks(texts: readonly string[], folder: string): LinkProfile[] {
  const links = texts.map((text) => {
    const path = isProfileFile(text) ? resolve(folder, text) : null;
    return { text, path, written: path === null ? withSwitchedTo(text, folder) : writtenProfile(path) };
  });
  askAhead(links.map(({ written }) => written));
  return links.map(({ path, written }) =>
    path === null || typeof written === "string" ? parseLink(String(written)) : meantProfile(path, written),
  );
}

/**
 * A form, or a change to one, in which the link that it switches to is written out where it was a file of a profile
 * (`switch=8s:lte.json`). Its seed does not count: a run has one.
 */
export function withSwitchedTo(form: string, folder: string): string {
  return mapSwitchedTo(form, (link) => {
    if (!isProfileFile(link)) return link;
    const path = resolve(folder, link);
    const { rebind, switch: further, ...shape } = meantProfile(path, writtenProfile(path));
    if (rebind || further)
      throw refuse(`${path}: ${rebind ? "rebind" : "switch"} holds for a whole run: write it beside the first switch`);
    const written = describeLink({ ...shape, seed: defaultSeed }).form;
    if (written.includes(innerComma))
      throw refuse(
        `${path}: a plus sign in a file's name ends a setting: give the file another name, or another place`,
      );
    return written.replaceAll(",", innerComma);
  });
}

/** The same for a link of the command line, which must say its delay. */
export function readGivenLink(text: string, folder: string): LinkProfile {
  const link = readLink(text, folder);
  refuseGivenWithoutDelay(text);
  return link;
}

/** UserError where a link of the command line, which is one, does not say its delay; a profile always does. */
export function refuseGivenWithoutDelay(text: string): void {
  if (!isProfileFile(text)) refuseWithoutDelay(withSwitchedTo(text, process.cwd()));
}

/** Whether a file of a profile is named anywhere: as the link, or in a form as the one that it switches to. */
export function namesProfile(text: string): boolean {
  let isNamed = isProfileFile(text);
  mapSwitchedTo(text, (link) => {
    isNamed ||= isProfileFile(link);
    return link;
  });
  return isNamed;
}

/** Whether it names a file of a profile; else it is a form. */
export function isProfileFile(text: string): boolean {
  return text.endsWith(".json") && !text.includes("=");
}
