// `trilane corpus synth`: makes modelled pages that follow published distributions, or those of a folder of HARs. What pages
// are and how they are stored is cli/recording/corpus'.

import { basename, resolve } from "node:path";
import { EndedEarlyError, UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { watchSignals } from "../base/interruption.ts";
import { flag, number } from "../base/option.ts";
import { withArchive } from "../recording/archive/client.ts";
import { sourceOf } from "../recording/archive/recording_source.ts";
import { type Corpus, corpusOf, dasCorpus } from "../recording/corpus/corpus.ts";
import { dasName, defaultSeed, mostPages, mostSeed } from "../recording/corpus/corpus_names.ts";
import { type PageDistributions, readDistributions } from "../recording/corpus/distributions.ts";
import { distributionsOfFolder } from "../recording/corpus/from_hars.ts";
import { writeCorpus } from "../recording/corpus/stored_corpus.ts";
import { progress } from "../recording/import/import_file.ts";
import type { Command, OptionsOf, Table } from "./command.ts";
import { countPages, printCorpus } from "./corpus_words.ts";

const define = (table: Table) =>
  table
    .option("pages", number({ least: 1, most: mostPages, whole: true }, { default: 500, describe: "how many" }))
    .option(
      "seed",
      number(
        { least: 0, most: mostSeed, whole: true },
        { default: defaultSeed, describe: "the same seed, the same pages" },
      ),
    )
    .option("like", {
      placeholder: "FOLDER|FILE",
      describe:
        "follow the pages of a folder of HARs, or quantiles in a JSON file (schemas/page-distributions.schema.json) (default: those of Das 2014)",
    })
    .option("name", {
      describe: "with --like: what to call the corpus (default: the folder's or file's name, pages and seed)",
    })
    .option("replace", flag("take the place of another corpus of that name"))
    .example("trilane corpus synth", "500 pages as those of Das 2014; made before, they stay")
    .example("trilane corpus synth --pages 30 --seed 2", "a small one, das-2014-30-seed-2")
    .example("trilane corpus synth --like hars --pages 100 --name shops", "as the pages in a folder of HARs")
    .example("trilane sweep das-2014-grid --page corpus:shops", "load all pages of a corpus");

type SynthOptions = OptionsOf<typeof define>;

function nameOf({ like, name, pages, seed }: SynthOptions): string {
  if (like === undefined) {
    if (name !== undefined)
      throw new UserError("--name: is for a corpus of your own pages: leave it out, or give --like");
    return dasName(pages, seed);
  }
  const given =
    name ??
    basename(resolve(like))
      .replace(/\.json$/i, "")
      .replaceAll(/[^A-Za-z0-9._-]+/g, "-");
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,60}$/.test(given))
    throw new UserError(`--name ${given}: must be 1 to 61 of A-Z a-z 0-9 . _ -, the first a letter or digit`);
  const full = name ?? `${given}-${pages}-seed-${seed}`;
  if (/^das-2014-\d+-seed-\d+$/.test(full)) throw new UserError(`--name ${full}: is a corpus of Das's: choose another`);
  return full;
}

const distributionsLike = async (like: string): Promise<PageDistributions> =>
  /\.json$/i.test(like) ? readDistributions(like) : await distributionsOfFolder(like, progress("HAR files", "corpus"));

async function corpusFor(options: SynthOptions): Promise<Corpus> {
  const { like, pages, seed } = options;
  const name = nameOf(options);
  const known = dasCorpus(name);
  if (like === undefined && known) return known;
  return corpusOf(name, await distributionsLike(like ?? ""), pages, seed);
}

export const command: Command<SynthOptions> = {
  usage: "synth",
  summary: "Make modelled pages that follow published distributions",
  define,
  async run(options) {
    const corpus = await corpusFor(options);
    const stop = watchSignals();
    const onPage = progress("pages", "corpus");
    const ofDas = options.like === undefined;
    try {
      const facts = await withArchive(homeFolder(options.home), async (archive) => {
        const { recordings, made } = await writeCorpus(archive, corpus, {
          sourceOf: (name) => (ofDas ? sourceOf(name) : `synth: corpus ${corpus.name}`),
          replace: options.replace,
          onPage: (done, pages) => {
            if (stop.signal.aborted && done < pages)
              throw new EndedEarlyError(
                `corpus ${corpus.name}: stopped with ${done} of ${pages} pages: the same command resumes it`,
              );
            onPage(done, pages);
          },
        });
        return { corpus, pages: await countPages(archive, recordings), made };
      });
      printCorpus(facts, options.json);
    } finally {
      stop.ignore();
    }
  },
};
