// `trilane corpus check`: a corpus' quantiles beside those that it follows. Exit status 1 where one is off by more than 10 %.

import { homeFolder } from "../base/home.ts";
import { withArchive } from "../recording/archive/client.ts";
import { findCorpus } from "../recording/corpus/corpus.ts";
import type { Command, OptionsOf, Table } from "./command.ts";
import { countPages, printCorpus } from "./corpus_words.ts";

const define = (table: Table) =>
  table
    .positional("corpus", { demandOption: true, describe: "its name, as `trilane corpus synth` says it" })
    .example("trilane corpus check das-2014-500-seed-1", "exit status 1 if a quantile is off by more than 10 %")
    .example("trilane corpus check das-2014-500-seed-1 --json", "the same (schemas/corpus.schema.json)");

type CheckOptions = OptionsOf<typeof define>;

export const command: Command<CheckOptions> = {
  usage: "check <corpus>",
  summary: "Compare a corpus' quantiles with those it was made from",
  define,
  async run({ corpus: name, home, json }) {
    const facts = await withArchive(homeFolder(home), async (archive) => {
      const corpus = await findCorpus(archive, name);
      return { corpus, pages: await countPages(archive, corpus.recordings), made: 0 };
    });
    printCorpus(facts, json);
  },
};
