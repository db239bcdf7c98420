// `trilane reproduce STUDY|BUNDLE`: a published study's experiment, its figures beside ours; or a bundle's figures made again, and
// with --rerun its loads. A study is a sweep of a shipped plan.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Reproduced } from "../../schemas/generated/reproduced.ts";
import { UserError } from "../base/errors.ts";
import { flag, number } from "../base/option.ts";
import { printJson, printLines, say } from "../base/terminal_text.ts";
import { instruments, kindOfSweeps } from "../instruments/all.ts";
import { mostPages } from "../recording/corpus/corpus_names.ts";
import { fileEnding, resultsName } from "../sweep/bundle/layout.ts";
import type { UnpackedBundle } from "../sweep/bundle/read_bundle.ts";
import { reproduceBundle } from "../sweep/bundle/reproduce.ts";
import { reproducedLines } from "../sweep/bundle/words.ts";
import type { Command, House, OptionsOf, Table } from "./command.ts";
import { command as compare, compareStored } from "./compare.ts";
import { declarationOf, givenOptions } from "./declared.ts";
import { reproduceStudy } from "./reproduce_study.ts";
import { runTerms } from "./run_options.ts";
import { defineSweep } from "./sweep.ts";

const define = (table: Table) =>
  defineSweep(table)
    .positional("what", {
      demandOption: true,
      describe: `a file of \`trilane bundle\`, or a study: ${allStudies.map(({ published: { name, reference } }) => `${name}: ${reference}`).join("; ")}`,
    })
    .option("quick", flag("of a study the part that takes minutes (the default)"))
    .option("full", flag("all of a study, which may take days: see --dry-run"))
    .option(
      "pages",
      number(
        { least: 1, most: mostPages, whole: true },
        { describe: "of das-2014: how many modelled pages (default: 30; with --full 500)" },
      ),
    )
    .option("corpus", { placeholder: "NAME", describe: "of das-2014: the pages of a corpus of `trilane corpus synth`" })
    .option("rerun", flag("of a bundle the loads too, on this machine, compared with the bundle's"))
    .option("out", {
      placeholder: "FOLDER",
      describe: "of a bundle: the folder to make (default: called as the bundle, here)",
    })
    .example(
      "trilane reproduce das-2014 --dry-run",
      "30 modelled pages, four of its hundred networks: how long that takes",
    )
    .example("trilane reproduce das-2014 --full --pages 100", "all its networks, with a fifth of its pages")
    .example("trilane reproduce carlucci-2015-s2", "who gets how much of a link, QUIC or TCP, by its buffer")
    .example("trilane reproduce panda-2019-cost", "what QUIC costs the processor beside TCP, and its system calls")
    .example("trilane reproduce carlucci-2015-s3 --full", "all of scenario 3, ten loads of each")
    .example("trilane reproduce shop-3.tar.zst", "a bundle's report and figures, in the folder shop-3")
    .example("trilane reproduce shop-3.tar.zst --rerun", "its loads too, and what is slower or faster here");

type ReproduceOptions = OptionsOf<typeof define>;

/** Options that a bundle takes, and of these such as make sense with --rerun only; all others are a plan's, which it has. */
const ofBundle = new Set(["out", "rerun", "home", "json", "debug"]);
const ofRerun = new Set(["new", "labs", "evidence", "stop-file", "stop-after", "quiet", "status", "verbose"]);

function refuseOthers(options: ReproduceOptions): void {
  for (const name of givenOptions(command, options)) {
    if (ofBundle.has(name)) continue;
    if (!ofRerun.has(name)) throw new UserError(`--${name}: a bundle has its own plan: leave it out, or name a study`);
    if (!options.rerun) throw new UserError(`--${name}: nothing is loaded without --rerun: leave it out`);
  }
}

/** Loads again what the bundle's sweep loaded, in a data folder of its own, and compares. */
async function rerun(
  options: ReproduceOptions,
  { folder, bundle }: Reproduced,
  read: UnpackedBundle,
  unpacked: string,
  { pageSource, report }: House,
): Promise<void> {
  const home = join(folder, "rerun");
  const results = join(folder, resultsName);
  const { manifest } = read;
  const { json } = options;
  const stored = await kindOfSweeps(manifest.sweep.kind).stored();
  const terms = { ...runTerms(home, options), source: await pageSource(), report };
  const sweep = await stored.rerun?.({ bundle, manifest, unpacked, results, home }, terms);
  if (!sweep?.finished_at) return void say("not compared: the rerun is not finished: the same command resumes it");
  const sides = { a: `${results}#${manifest.sweep.id}`, b: `${home}#${sweep.id}` };
  const threshold = Number(declarationOf(compare).options.get("threshold")?.default);
  await compareStored({ json, ...sides, threshold, "occasion-spread": undefined, metric: undefined }, home);
}

async function reproduceFile(options: ReproduceOptions, house: House): Promise<void> {
  refuseOthers(options);
  const show = (reproduced: Reproduced): void =>
    options.json ? printJson(reproduced) : printLines(reproducedLines(reproduced));
  await reproduceBundle({
    ...{ bundle: options.what, out: options.out },
    ...{ onReproduced: show, kinds: house.bundled },
    rerun: options.rerun ? (reproduced, read, unpacked) => rerun(options, reproduced, read, unpacked, house) : null,
  });
}

const allStudies = instruments.flatMap((kind) => (kind.studies ?? []).map((published) => ({ kind, published })));

const isFile = (word: string): boolean => existsSync(word) || word.includes("/") || word.endsWith(fileEnding);

export const command: Command<ReproduceOptions> = {
  usage: "reproduce <what>",
  summary: "Make a bundle's figures again, or run a published study's experiment with its figures beside ours",
  define,
  run: async (options, house) => {
    const study = allStudies.find(({ published }) => published.name === options.what);
    if (!study && isFile(options.what)) return await reproduceFile(options, house);
    if (!study)
      throw new UserError(
        `no study or file ${options.what}: name a bundle, or one of ${allStudies.map(({ published }) => published.name).join(", ")}`,
      );
    if (options.quick && options.full) throw new UserError("--quick is a part of --full: give one of them");
    if (options.rerun || options.out !== undefined)
      throw new UserError(`--${options.rerun ? "rerun" : "out"}: is for bundles: leave it out with a study`);
    await reproduceStudy(study, options, house, givenOptions(command, options));
  },
};
