// Stored page loads for other tools: their requests (har), a row each (csv), all but requests (json), one race, videos for ITU-T P.1203.

import type { P1203Export } from "../../../schemas/generated/p1203.ts";
import { UserError } from "../../base/errors.ts";
import { count } from "../../base/numbers.ts";
import { say } from "../../base/terminal_text.ts";
import { chosenFormat, jsonPieces, writeExport } from "../../engine/export.ts";
import type { ExportTerms } from "../../engine/plan_kind.ts";
import { raceResult } from "../../report/race_result.ts";
import { chooseLoads } from "../../results/export/choose.ts";
import { csvLines } from "../../results/export/csv.ts";
import { harPieces } from "../../results/export/har.ts";
import { exportDocument } from "../../results/export/json.ts";
import { p1203Export, refusedPictures } from "../../results/export/p1203.ts";
import type { Load, Results } from "../../results/store/results.ts";
import { pageFormats } from "./plan_kind.ts";

type PageFormat = (typeof pageFormats)[number];

/** UserError if none of the loads played a video. */
function videosOf(results: Results, sweep: number, loads: readonly Load[]): P1203Export {
  const exported = p1203Export(sweep, loads, (load) => results.harOf(load).log._trilane.video ?? null);
  if (exported.loads.length === 0)
    throw new UserError("export: no valid load here played a video: name a sweep of `trilane video` with one");
  const { loads: refused, codecs } = refusedPictures(exported);
  if (refused > 0)
    say(
      `export: ${count(refused, "load")} played ${codecs.join(" and ")}, which P.1203's models do not know: their software refuses them, and scores H.264 only`,
    );
  return exported;
}

function pieces(
  results: Results,
  home: string,
  format: PageFormat,
  keepCredentials: boolean,
  { sweep, loads }: ReturnType<typeof chooseLoads>,
): Iterable<string> {
  if (format === "race") return [`${JSON.stringify(raceResult(results, home, sweep, keepCredentials))}\n`];
  if (format === "p1203") return jsonPieces(videosOf(results, sweep.id, loads));
  if (format === "har") return harPieces({ sweep, loads, pageLoadOf: (load) => results.harOf(load), keepCredentials });
  const ids = new Set(loads.map((load) => load.cell));
  const cells = results.cellsOf(sweep.id).filter((cell) => ids.has(cell.id));
  const films = results.filmedLoadsOf(sweep.id);
  if (format === "csv") return csvLines(sweep.plan, cells, loads, films);
  const tests = results.linkTestsOf(sweep.id);
  return jsonPieces(exportDocument(sweep, cells, loads, tests, films));
}

/** Of the named sweep, or of the newest one that has loads. */
export async function exportLoads(results: Results, id: number, terms: ExportTerms): Promise<void> {
  const format = chosenFormat(pageFormats, terms, results, results.sweep(id));
  if (format === "race" && terms.load !== undefined)
    throw new UserError("export: --format race is of a whole race: leave out --load");
  const chosen = chooseLoads(results, terms.named, terms.load);
  const { sweep, loads } = chosen;
  const parts = pieces(results, terms.home, format, terms.keepCredentials, chosen);
  await writeExport(parts, { kind: format, sweep: sweep.id, loads: loads.length }, terms);
}
