// `trilane bundle [SWEEP]`: a sweep in one file, to be handed to whoever is to check it.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { credentialsInWords, secretNamesInWords } from "../../extension/har/secrets.ts";
import { homeFolder } from "../base/home.ts";
import { flag } from "../base/option.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { chooseAnySweep, openNamed } from "../results/export/choose.ts";
import { resultsPath } from "../results/store/database.ts";
import { fileEnding, limitsInWords } from "../sweep/bundle/layout.ts";
import { bundledLines } from "../sweep/bundle/words.ts";
import { writeBundle } from "../sweep/bundle/write_bundle.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .positional("sweep", { describe: "number of a sweep, or a file of results, as merged.db (default: the newest)" })
    .option("out", { describe: `the file to write (default: NAME-SWEEP${fileEnding} here)` })
    .option("results-only", flag("without recordings and links' files: figures can be reproduced, loads not run again"))
    .option(
      "keep-credentials",
      flag(
        `keep values that are otherwise masked: ${credentialsInWords}. In loads also those of fields named ${secretNamesInWords}`,
      ),
    )
    .example("trilane bundle 3", "sweep 3, for an artifact committee")
    .example("trilane bundle 5", "a sweep of commands: the secrets of command lines and output are masked")
    .example("trilane bundle merged.db --out study.tar.zst", "what several machines measured")
    .epilogue(`A bundle is a tar compressed with zstd, ${limitsInWords}. The same sweep gives the same bytes.`);

type BundleOptions = OptionsOf<typeof define>;

/** Called as the plan, in letters that any file may have. */
function usualName(name: string, sweep: number): string {
  return `${name.replaceAll(/[^A-Za-z0-9._-]+/g, "-").slice(0, 60)}-${sweep}${fileEnding}`;
}

/** Which file of results, and which sweep of it. */
function chosen(word: string | undefined, home: string): { results: string; sweep: number; name: string } {
  const { results: opened, named, file } = openNamed(word, home);
  using results = opened;
  const { id, name } = chooseAnySweep(results, named);
  const folder = file === null ? home : statSync(file).isDirectory() ? file : null;
  return { results: folder === null ? (file ?? home) : resultsPath(folder), sweep: id, name };
}

export const command: Command<BundleOptions> = {
  usage: "bundle [sweep]",
  summary: "Put a sweep into one file: plan, recordings, results, figures, environment; `reproduce` reads it",
  define,
  run: async (options, { bundled }) => {
    const home = homeFolder(options.home);
    const { name, ...which } = chosen(options.sweep, home);
    const { bundled: written, nouns } = await writeBundle({
      ...{ home, ...which, out: resolve(options.out ?? usualName(name, which.sweep)) },
      ...{ keepCredentials: options["keep-credentials"], resultsOnly: options["results-only"], kinds: bundled },
    });
    if (options.json) printJson(written);
    else printLines(bundledLines(written, nouns));
  },
};
