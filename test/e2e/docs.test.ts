// The commands in docs/: each runs once and prints what the page shows; of those that load pages, send flows or fetch objects, whatever
// the numbers. With TRILANE_KEEP_OUTPUT=FILE they stay there, to be put into the pages.
// The race is resumed: each lane is loaded once, the last block is loaded, those between have the page load times that the page shows.
// So it takes a third of its loads, and a busy machine does not change its verdict.
// Beside others: what a busy machine changes are numbers; what it leaves undecided is inconclusive.
// Long: whole comparisons are among its commands.
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openResults, type Results } from "../../cli/results/store/results.ts";
import type { PageLoad } from "../../schemas/generated/page_load.ts";
import { difference, documentFolder, outputOf, type Shown, shownCommands, wordsOf } from "../docs_console.ts";
import { start } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";

const keptOutput = process.env.TRILANE_KEEP_OUTPUT;
const folder = documentFolder(tempFolder("trilane-docs-"));
const commands = shownCommands();

/** What a page shows of a lane in its tracks: `h1  ...|--*--|...  1860 ms`. */
const shownMedians = ({ output }: Shown): Map<string, number> =>
  new Map(
    [...output.matchAll(/^(\S+) +[.|*-]{20,} +(\d+) ms/gm)].map(([, lane = "", plt_ms]) => [lane, Number(plt_ms)]),
  );

const runs = 9;
/** Of one block's loads, as much as runs vary on a calm machine. */
const spreadOf = (block: number): number => 1 + 0.01 * ((block % 5) - 2);

/** On an undisturbed machine. */
function loadWith({ log, ...rest }: PageLoad, plt_ms: number): PageLoad {
  const { _trilane, ...others } = log;
  const { metrics, disturbance } = _trilane;
  const measured = { metrics: { ...metrics, plt_ms } };
  const calm = { bound_ms: 0, link_ms: 0, cpu_ms: 0, calm_ms: 0, estimate_ms: 0 };
  const undisturbed = disturbance ? { disturbance: { ...disturbance, ...calm } } : {};
  return { ...rest, log: { ...others, _trilane: { ..._trilane, ...measured, ...undisturbed } } };
}

/** Stores each lane's first valid load for all blocks without one, but not for the last block. */
function storeBlocks(results: Results, medians: ReadonlyMap<string, number>): void {
  const attempts = results.loadsOf(1);
  for (const [place, [lane, median_ms]] of [...medians].entries()) {
    const own = attempts.filter((each) => each.lane === lane);
    const { id, cell, started_at } = own.find(({ status }) => status === "valid") ?? assert.fail(`no load of ${lane}`);
    const page = results.harOf(id);
    for (let block = 0; block < runs - 1; block++) {
      const made = own.filter((each) => each.block === block);
      if (made.some(({ status }) => status === "valid")) continue;
      const load = loadWith(page, median_ms * spreadOf(block));
      const position = block * medians.size + place;
      results.recordLoad({ cell, block, attempt: made.length, position, started_at, load });
    }
  }
}

/** The race is under way: the same command resumes it. */
async function beginRace(shown: Shown, home: string): Promise<void> {
  const medians = shownMedians(shown);
  const { pid, events, until, ended } = start(home, [...wordsOf(shown.command), "--json"], { cwd: folder });
  const loaded = () =>
    events.flatMap((each) => (each.event === "load-finished" && each.status === "valid" ? [each.lane] : []));
  await until("each lane is loaded", () => new Set(loaded()).size === medians.size);
  process.kill(-pid, "SIGINT");
  assert.equal((await ended).status, 130);
  using results = openResults(home);
  storeBlocks(results, medians);
}

/** Of commands that use nothing that others stored. They run in a second home, beside the rest. A plan in a file names recordings. */
const standsAlone = /^(?:fetch|flows|shell|links|plan(?! \S+\.json)|trace) /;

/** In each home one after another, in the order of the pages. A page may show what another one showed. */
const outputs = new Map<string, Promise<string>>();
const newest = new Map<string, Promise<string>>();
for (const shown of commands) {
  const { command } = shown;
  if (outputs.has(command)) continue;
  const home = join(folder, standsAlone.test(command) ? "second" : "home");
  const output = (newest.get(home) ?? Promise.resolve("")).then(async () => {
    // What is to be shown is measured.
    if (command.startsWith("race ") && !keptOutput) await beginRace(shown, home);
    return await outputOf(command, folder, home);
  });
  outputs.set(command, output);
  newest.set(home, output);
}

test("docs/ shows commands that measure nothing, too", () => {
  assert.ok(commands.filter(({ isMeasured }) => !isMeasured).length >= 8);
});

/** The sentence in which an answer says that other programs had a part in it. */
const disturbed = /(?:On\s+a\s+busy\s+machine|the\s+machine\s+(?:disturbed|held\s+up))[^.]*/;
/** Pages show answers. */
const undecided = /no\s+difference\s+(?:is\s+)?shown|no\s+verdict\s+yet|unclear$/im;
/** The reason of a verdict follows from what was loaded, each load's waits for the machine among it. */
const withoutReason = (text: string): string => text.replace(/^Why: .*?(?=\n(?:Confidence|\.\.\.))/ms, "Why:");

for (const shown of commands)
  test(`${shown.page}: trilane ${shown.command}`, async (context) => {
    const actual = (await outputs.get(shown.command)) ?? "";
    if (keptOutput) appendFileSync(keptOutput, `$ trilane ${shown.command}\n${actual}\n`);
    const missing = difference(shown, actual);
    const [busy] = disturbed.exec(actual) ?? [];
    const isInconclusive = (): boolean =>
      undecided.test(actual) ||
      difference({ ...shown, output: withoutReason(shown.output) }, withoutReason(actual)) === null;
    if (missing !== null && shown.isMeasured && busy !== undefined && isInconclusive())
      return context.skip(`inconclusive: disturbed: ${busy.replaceAll(/\s+/g, " ")}; failed by ${missing}`);
    assert.equal(missing, null, actual);
  });
