// How long the command line computes before it answers: user and system time of whole processes, beside that of Node alone. Runs what
// `cli/trilane` runs: the bundle, if set-up has made it since the sources were last changed.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../cli/base/errors.ts";
import { checkout } from "../../cli/base/programs.ts";
import { bundleFolder, bundleStamp } from "../../cli/install/packages/bundle.ts";
import { storeFixture } from "../cli/report/fixture.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, measurement } from "./bench.ts";

const launcher = join(checkout, "cli", "trilane");
const usualRuns = 10;

/** What it may take, in ms; `beyond`: more than Node alone does. */
const commands = [
  { words: ["--version"], bar: 20, isBeyond: true, status: 0 },
  { words: ["--help"], bar: 150, isBeyond: false, status: 0 },
  { words: ["race", "--help"], bar: 150, isBeyond: false, status: 0 },
  { words: ["rase"], bar: 150, isBeyond: false, status: 2 },
  { words: ["race", "shop", "--rnus", "3"], bar: 150, isBeyond: false, status: 2 },
  { words: ["list"], bar: 150, isBeyond: false, status: 0 },
  { words: ["report"], bar: 400, isBeyond: false, status: 0 },
] as const;

/** Of one process and its children, in ms: bash's `times` names its own on the first line, theirs on the second. */
function cpuTime_ms(words: readonly string[], home: string, status: number): number {
  const script = '"$@" >/dev/null 2>&1; status=$?; times; exit $status';
  const ran = spawnSync("bash", ["-c", script, "bash", ...words], {
    encoding: "utf8",
    env: { ...process.env, TRILANE_HOME: home },
  });
  if (ran.status !== status) throw new UserError(`${words.join(" ")}: ended with status ${ran.status}, not ${status}`);
  return [...(ran.stdout.split("\n")[1] ?? "").matchAll(/(\d+)m([\d.]+)s/g)]
    .map(([, minutes, seconds]) => Number(minutes) * 60_000 + Number(seconds) * 1000)
    .reduce((sum, time) => sum + time, 0);
}

export const bench: Bench = async (say, only, { runs }) => {
  const home = tempFolder("trilane-bench-commands-");
  storeFixture(home, { name: "nine", pages: ["shop"], links: ["10mbit/50ms"], repetitions: 3 });
  if (!existsSync(join(bundleFolder, bundleStamp))) say("there is no bundle: `npm run setup` makes it");
  const wanted = commands.filter(({ words }) => only === "" || words.join(" ").includes(only));
  const times = wanted.map((): number[] => []);
  const alone: number[] = [];
  const node = join(checkout, "node_modules", ".bin", "node");
  // In turns, so that what else the machine does meets all. The first round fills caches.
  for (let round = 0; round <= (runs ?? usualRuns); round++) {
    const base_ms = cpuTime_ms([node, "-e", "0"], home, 0);
    if (round > 0) alone.push(base_ms);
    for (const [index, { words, isBeyond, status }] of wanted.entries()) {
      const time_ms = cpuTime_ms([launcher, ...words], home, status);
      if (round > 0) times[index]?.push(isBeyond ? Math.max(0, time_ms - base_ms) : time_ms);
    }
  }
  return [
    measurement("node -e 0", alone, null),
    ...wanted.map(({ words, bar, isBeyond }, index) =>
      measurement(`${words.join(" ")}${isBeyond ? ", beyond node's" : ""}`, times[index] ?? [], bar),
    ),
  ];
};
