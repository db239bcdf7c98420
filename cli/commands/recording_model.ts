// `trilane recording model`: a page of the same shape as a recording, for bodies that it does not have. The work is
// cli/recording/model's.

import { homeFolder } from "../base/home.ts";
import { count, formatSize } from "../base/numbers.ts";
import { flag } from "../base/option.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { withArchive } from "../recording/archive/client.ts";
import { importedDocument } from "../recording/import/imported.ts";
import { defineCompute } from "../recording/model/compute_option.ts";
import type { ModelFacts } from "../recording/model/model_page.ts";
import { modelRecording } from "../recording/model/model_recording.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

function modelLines(facts: ModelFacts): string[] {
  const { requests, documents, known_by, computation_ms, after_load, larger, larger_by_bytes, left_out } = facts;
  const inferred = known_by.initiator + known_by.referer + known_by.timing;
  const share = (amount: number): string => `${Math.round((100 * amount) / Math.max(1, inferred))} %`;
  const lines = [
    `modelled page: ${count(requests, "request")} in ${count(documents, "document")}`,
    `what requested them: ${share(known_by.initiator)} by recorded initiators, ${share(known_by.referer)} by Referer, ${share(known_by.timing)} inferred from timing`,
    `computation before one request: at most ${computation_ms} ms`,
  ];
  if (after_load > 0) lines.push(`${count(after_load, "request")} after the load event`);
  if (left_out > 0) lines.push(`left out: ${count(left_out, "exchange")} that the recording browser made by itself`);
  if (larger > 0)
    lines.push(
      `${count(larger, "body is", "bodies are")} larger than recorded, by ${formatSize(larger_by_bytes)} in all: too small for what ${larger === 1 ? "it asks" : "they ask"} for`,
    );
  return lines;
}

const define = (table: Table) =>
  table
    .with(defineCompute)
    .positional("recording", { demandOption: true, describe: "name of the recording, which stays" })
    .option("as", { describe: "what to call the model (default: the recording's name and -model)" })
    .option("replace", flag("replace a recording of the new name"))
    .example("trilane recording model shop", "makes shop-model")
    .example("trilane recording model shop --compute busy", "its scripts work where the recorded ones worked");

type ModelOptions = OptionsOf<typeof define>;

export const command: Command<ModelOptions> = {
  usage: "model <recording>",
  summary: "A page of the same shape, for bodies that a recording does not have",
  define,
  async run(options) {
    const given = { name: options.recording, as: options.as, compute: options.compute };
    const { recording, facts } = await withArchive(homeFolder(options.home), (archive) =>
      modelRecording(archive, { ...given, replace: options.replace }),
    );
    if (options.json) {
      printJson(importedDocument([recording]));
      return;
    }
    const { name, exchanges, body_bytes, url } = recording;
    const first = `${name}: ${count(exchanges, "exchange")}, ${formatSize(body_bytes)}, ${url}`;
    printLines([first, ...modelLines(facts).map((line) => `  ${line}`)]);
  },
};
