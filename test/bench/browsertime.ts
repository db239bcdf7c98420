// What a load costs beside browsertime, which is how sitespeed.io measures: the same replayed page over the same link and lane,
// in turn, wall time per load from a fresh browser to stored figures and HAR. Neither films; npm's browsertime does not by default.
// It runs in a lab of ours, so that servers and link are the same ones.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { UserError } from "../../cli/base/errors.ts";
import { chromiumPath } from "../../cli/base/programs.ts";
import { median } from "../../cli/base/quantile.ts";
import { parseLink } from "../../cli/link/link.ts";
import { labCommand, spkiList } from "../../cli/load/lab.ts";
import { measureLoad } from "../../cli/load/load.ts";
import type { Recording } from "../../cli/recording/archive/archive.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import { cacheFolder } from "../cache_folder.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, measurement } from "./bench.ts";

const version = "26.3.2";
const chromedriver = "/usr/bin/chromedriver";
const page = "carlucci-medium";
const lane = "h2";
const link = parseLink("10mbit/50ms");
const rounds = 2;
/** Loads of each kind in a round; browsertime's own default, over which its start is spread. */
const loads = 3;

/** Ends at the load event, looked for often: not five seconds after the start and two after the load event, as by default. */
const withoutWaits = [
  "--pageCompleteCheck",
  "return location.protocol === 'https:' && performance.timing.loadEventEnd > 0",
  ...["--pageCompleteCheckStartWait", "1", "--pageCompleteCheckPollTimeout", "50", "--timeToSettle", "1"],
];

const run = promisify(execFile);

/** Installed once into the cache, without the scripts that fetch drivers of its own: Debian's is of the browser's version. */
async function browsertimeProgram(say: (line: string) => void): Promise<string> {
  const folder = join(cacheFolder(), `browsertime-${version}`);
  const program = join(folder, "node_modules", "browsertime", "bin", "browsertime.js");
  if (existsSync(program)) return program;
  say(`installing browsertime ${version} into ${folder}`);
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    const words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", unfinished];
    await run("npm", [...words, `browsertime@${version}`], { cwd: unfinished });
    renameSync(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw new UserError(`browsertime ${version} cannot be installed: ${String(error).split("\n").at(-2)}`);
  }
  return program;
}

interface Place {
  readonly scratch: string;
  readonly home: string;
  readonly program: string;
  readonly recording: Recording;
}

/** Wall time of one load and PLTs, in ms. */
interface Round {
  readonly wall_ms: number;
  readonly plts_ms: readonly number[];
}

interface BrowsertimeResult {
  readonly browserScripts: readonly { readonly timings: { readonly loadEventEnd: number } }[];
}

async function byBrowsertime(place: Place, further: readonly string[]): Promise<Round> {
  const { scratch, home, program, recording } = place;
  const results = join(scratch, "results");
  const lab = labCommand({ home, recording: recording.name, link, reports: null });
  const words = [
    ...[recording.url, "--browser", "chrome", "--headless", "-n", String(loads), "--resultDir", results],
    ...["--chrome.chromedriverPath", chromedriver, "--chrome.binaryPath", chromiumPath()],
    ...[
      "--chrome.args",
      `ignore-certificate-errors-spki-list=${await spkiList(home)}`,
      "--chrome.args",
      "disable-quic",
    ],
    ...["--video", "false", "--visualMetrics", "false", ...further],
  ];
  const [shaper = "", ...rest] = [...lab.replay, ...lab.shaper, process.execPath, program, ...words];
  const started_ms = performance.now();
  await run(shaper, rest, { env: { PATH: process.env.PATH, HOME: scratch, TMPDIR: scratch } });
  const wall_ms = (performance.now() - started_ms) / loads;
  const [result] = JSON.parse(readFileSync(join(results, "browsertime.json"), "utf8")) as BrowsertimeResult[];
  const { log } = JSON.parse(readFileSync(join(results, "browsertime.har"), "utf8")) as {
    log: { entries: { response: { httpVersion: string; status: number } }[] };
  };
  const plts_ms = result?.browserScripts.map(({ timings }) => timings.loadEventEnd) ?? [];
  const good = log.entries.filter(({ response }) => response.httpVersion === "h2" && response.status === 200);
  // A load that failed is soon over.
  if (plts_ms.length !== loads || good.length < loads * recording.exchanges)
    throw new Error(`browsertime loaded ${plts_ms.length} pages and ${good.length} resources over ${lane}`);
  return { wall_ms, plts_ms };
}

/** A load that was disturbed costs what others do, and browsertime counts its own. */
async function byTrilane({ home, recording }: Place, say: (line: string) => void): Promise<Round> {
  const plts_ms: number[] = [];
  const started_ms = performance.now();
  for (let load = 0; load < loads; load++) {
    const { status, reasons, metrics } = (await measureLoad({ home, recording, lane, link, timeout_ms: 60_000 })).log
      ._trilane;
    if (status !== "valid") say(`${status} load: ${reasons[0]}`);
    if (metrics.plt_ms === null) throw new Error(`a load without PLT: ${reasons.join("; ")}`);
    plts_ms.push(metrics.plt_ms);
  }
  return { wall_ms: (performance.now() - started_ms) / loads, plts_ms };
}

export const bench: Bench = async (say) => {
  if (!existsSync(chromedriver)) throw new UserError(`browsertime: no ${chromedriver}: apt install chromium-driver`);
  const program = await browsertimeProgram(say);
  const scratch = tempFolder("trilane-bench-");
  const home = join(scratch, "home");
  const recording = await withArchive(home, (archive) => ensureSynth(archive, page));
  const place: Place = { scratch, home, program, recording };
  // The browser is read from the disk.
  await byTrilane(place, say);
  const ours: Round[] = [];
  const asItIs: Round[] = [];
  const hurried: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds}: ${loads} loads by each of ${page} over ${lane}, 10 Mbit/s, 50 ms`);
    ours.push(await byTrilane(place, say));
    asItIs.push(await byBrowsertime(place, []));
    hurried.push(await byBrowsertime(place, withoutWaits));
  }
  const wall = (all: readonly Round[]) => all.map(({ wall_ms }) => wall_ms);
  const plts = (all: readonly Round[]) => all.flatMap(({ plts_ms }) => plts_ms);
  const ratio = (all: readonly Round[]) => [median(wall(all)) / median(wall(ours))];
  return [
    measurement("a load by Trilane, wall time", wall(ours), null),
    measurement("a load by browsertime as it is, wall time", wall(asItIs), null),
    measurement("a load by browsertime without its waits, wall time", wall(hurried), null),
    measurement("PLT by Trilane", plts(ours), null),
    measurement("PLT by browsertime", plts([...asItIs, ...hurried]), null),
    measurement("browsertime as it is over Trilane", ratio(asItIs), 3, { unit: "ratio", bar_is: "at least" }),
    measurement("browsertime without its waits over Trilane", ratio(hurried), null, { unit: "ratio" }),
  ];
};
