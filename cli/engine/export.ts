// What `trilane export` of every kind of sweep shares: the format, the attempts, and the file or standard output they go to. Knows no
// instrument.
import { resolve } from "node:path";
import type { FileWritten } from "../../schemas/generated/file_written.ts";
import type { LinkProfile } from "../../schemas/generated/link_profile.ts";
import { atomicWrite } from "../base/atomic_write.ts";
import { UserError } from "../base/errors.ts";
import { printFile, printJson, printLines } from "../base/terminal_text.ts";
import { listingCommand, ofFile, readNumber } from "../results/export/choose.ts";
import type { AnySweep, Results } from "../results/store/results.ts";
import type { ExportTerms } from "./plan_kind.ts";

/** `--json` alone means the one document that JSON readers want. */
export const wantedFormat = ({ format, json, out }: ExportTerms): string | undefined =>
  format ?? (json && out === undefined ? "json" : undefined);

export const gotWords = (format: string | undefined): string =>
  format === undefined ? "" : ` (got ${JSON.stringify(format)})`;

/** @throws UserError if the sweep's kind has no such format */
export function chosenFormat<Format extends string>(
  formats: readonly Format[],
  terms: ExportTerms,
  results: Results,
  { id, kind }: AnySweep,
): Format {
  const format = wantedFormat(terms);
  const known = formats.find((each) => each === format);
  if (known) return known;
  throw new UserError(
    `export: sweep ${id}${ofFile(results)} has ${kind}: --format must be one of ${formats.join(", ")}${gotWords(format)}`,
  );
}

/** All attempts, or the one that `--load` names. `words`: of one attempt, of several, and the command that makes them. */
export function chosenAttempts<Attempt>(
  all: readonly Attempt[],
  { load }: ExportTerms,
  results: Results,
  { id }: AnySweep,
  idOf: (attempt: Attempt) => number,
  [one, several, command]: readonly [one: string, several: string, command: string],
): readonly Attempt[] {
  const sweep = `sweep ${id}${ofFile(results)}`;
  if (all.length === 0) throw new UserError(`${sweep} has no ${several} yet: \`trilane ${command}\` resumes it`);
  if (load === undefined) return all;
  const number = readNumber(load, "load");
  const chosen = all.filter((attempt) => idOf(attempt) === number);
  if (chosen.length > 0) return chosen;
  throw new UserError(`no ${one} ${number} in ${sweep}: ${listingCommand(results)} lists the ${several} of a sweep`);
}

/** A sweep as its exported document says what it is. `Plan`: the same document; stored, it may not be changed. */
export function exportedSweep<Plan>(sweep: AnySweep) {
  const { id, name, plan_digest, created_at, finished_at, seed, command, environment } = sweep;
  const plan = sweep.plan as unknown as Plan;
  return { id, name, plan, plan_digest, created_at, finished_at, seed, command: [...command], environment };
}

/** Of each link its profile, in the order of cells. */
export function linksOf(
  cells: readonly { readonly link: string | null; readonly link_profile: LinkProfile | null }[],
): { readonly link: string; readonly link_profile: LinkProfile }[] {
  const links = new Map(
    cells.flatMap(({ link, link_profile }) => (link !== null && link_profile ? [[link, link_profile]] : [])),
  );
  return [...links].map(([link, link_profile]) => ({ link, link_profile }));
}

export const jsonPieces = (document: object): string[] => [`${JSON.stringify(document, null, 1)}\n`];

/** Says what was written where; `more` follows the path. */
export function reportWritten(written: Omit<FileWritten, "schema">, json: boolean, more = ""): void {
  if (json) printJson({ schema: "trilane/file-written/1", ...written } satisfies FileWritten);
  else printLines([`${written.kind}: ${written.path}${more}`]);
}

/** To the file of `--out`, whole or not at all, or to standard output. */
export async function writeExport(
  pieces: Iterable<string>,
  about: Pick<FileWritten, "kind" | "sweep" | "loads">,
  { out, json }: ExportTerms,
): Promise<void> {
  if (out === undefined) return await printFile(pieces);
  const path = resolve(out);
  await atomicWrite(path, pieces);
  reportWritten({ ...about, path }, json);
}
