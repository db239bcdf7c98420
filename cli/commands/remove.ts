// `trilane remove`: takes recordings out of the archive, and sweeps with their loads out of the results. All that was
// named is looked up first, so that a name mistyped removes nothing. With --everything all that Trilane keeps.

import type { Removed } from "../../schemas/generated/removed.ts";
import { confirm } from "../base/confirm.ts";
import { RunError, UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { count, formatSize } from "../base/numbers.ts";
import { flag, repeated } from "../base/option.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { removeEverything } from "../install/remove/everything.ts";
import { withArchive } from "../recording/archive/client.ts";
import { removeReports } from "../report/report_files.ts";
import { readNumber } from "../results/export/choose.ts";
import { resultsExist } from "../results/store/database.ts";
import { openResults } from "../results/store/results.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .positional("recording", { array: true, describe: "names of recordings" })
    .option("sweep", repeated("numbers of sweeps"))
    .option(
      "everything",
      flag("all recordings, results, reports, profiles and keys, and the extension's link to the host"),
    )
    .option("yes", flag("with --everything: do not ask"))
    .example("trilane remove shop shop-repeat", "two recordings")
    .example(
      "trilane remove --sweep 3",
      "sweep 3, all its loads, flow runs or fetches, and its reports; recordings stay",
    )
    .example("trilane remove --everything --yes", "all that Trilane keeps, without a question");

type RemoveOptions = OptionsOf<typeof define>;

async function removeSweeps(home: string, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  if (!resultsExist(home)) throw new UserError(`no sweep ${ids[0]} in ${home}: see \`trilane list\``);
  using results = openResults(home);
  await results.removeSweeps(ids);
  for (const id of ids) removeReports(home, id);
}

/** What a name mistyped may have meant: `trilane remove 3` for sweep 3. */
function sweepHint(home: string, name: string): string {
  if (!/^\d+$/.test(name) || !resultsExist(home)) return "see `trilane list`";
  using results = openResults(home);
  const isSweep = results.listAllSweeps().some(({ id }) => String(id) === name);
  return isSweep ? `sweep ${name} is removed with \`trilane remove --sweep ${name}\`` : "see `trilane list`";
}

async function remove(home: string, names: readonly string[], sweeps: readonly number[]): Promise<void> {
  await withArchive(home, async (archive) => {
    const there = new Set((await archive.list()).map(({ name }) => name));
    const missing = names.find((name) => !there.has(name));
    if (missing !== undefined)
      throw new UserError(`recording "${missing}": not in the archive: ${sweepHint(home, missing)}`);
    await removeSweeps(home, sweeps); // all or none
    for (const name of names) await archive.remove(name);
  });
}

/** Asks on a terminal; elsewhere there is no one to answer. */
async function isConfirmed(home: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UserError(`--everything removes all recordings and results in ${home}: add --yes if that is meant`);
  return await confirm(
    `Remove all recordings, results, reports, profiles and keys in ${home}?`,
    process.stdin,
    process.stderr,
  );
}

async function runEverything({ home: option, recording, sweep, json, yes }: RemoveOptions): Promise<void> {
  if ((recording ?? []).length + sweep.length > 0)
    throw new UserError("--everything removes all recordings and sweeps: name none with it");
  // As of a variable that is not set: the usual folder is not what was meant.
  if (option === "") throw new UserError('--home "": name the folder to remove, or leave out --home');
  const home = homeFolder(option);
  if (!yes && !(await isConfirmed(home))) throw new RunError("nothing is removed");
  const isUsual = !option && !process.env.TRILANE_HOME;
  const { bytes, manifests, left, remains, systemManifests } = await removeEverything(home, isUsual);
  const everything = { home, bytes, manifests, left, remains };
  const removed: Removed = { schema: "trilane/removed/1", recordings: [], sweeps: [], everything };
  const all = remains.length === 0 ? "all" : "not all";
  const lines = [
    bytes === 0 && remains.length === 0
      ? `nothing was kept in ${home}`
      : `removed ${all} that was kept in ${home} (${formatSize(bytes)})`,
    ...manifests.map((path) => `removed ${path}`),
    ...(left.length > 0 ? [`left in it, as it is not Trilane's: ${left.join(", ")}`] : []),
    ...remains.map(({ path, why }) => `still there: ${path} (${why})`),
    ...systemManifests.map(
      (path) => `for all users, and stays: ${path} (\`trilane install-host --system --uninstall\`)`,
    ),
    "What the extension keeps is in its browser: it goes when the extension is removed there. What `install-host` wrote",
    "into a --user-data-dir is there until `install-host --uninstall` with the same.",
  ];
  if (json) printJson(removed);
  else printLines(lines);
  if (remains.length === 0) return;
  const paths = remains.slice(0, 3).map(({ path }) => path);
  const more = remains.length > paths.length ? ` and ${remains.length - paths.length} more` : "";
  throw new RunError(`not all is removed: remove ${paths.join(", ")}${more} yourself, if it is Trilane's`);
}

export const command: Command<RemoveOptions> = {
  usage: "remove [recording..]",
  summary: "Remove recordings, sweeps with their loads, or everything",
  define,
  run: async (options) => {
    if (options.everything) return await runEverything(options);
    const home = homeFolder(options.home);
    const recordings = [...new Set(options.recording ?? [])];
    const sweeps = [...new Set(options.sweep.map((text) => readNumber(text, "sweep")))];
    if (recordings.length + sweeps.length === 0)
      throw new UserError("nothing to remove: name recordings, or sweeps with --sweep (see `trilane list`)");
    await remove(home, recordings, sweeps);
    const removed: Removed = { schema: "trilane/removed/1", recordings, sweeps };
    const what = [
      ...(recordings.length > 0 ? [count(recordings.length, "recording")] : []),
      ...(sweeps.length > 0 ? [count(sweeps.length, "sweep")] : []),
    ];
    if (options.json) printJson(removed);
    else printLines([`removed ${what.join(" and ")}`]);
  },
};
