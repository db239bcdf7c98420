// `trilane calibrate`: how many labs this machine bears side by side; sweeps use what it finds.

import type { Calibration } from "../../schemas/generated/calibration.ts";
import { RunError, UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { plainLanes } from "../base/lanes.ts";
import { makeFolder } from "../base/make_folder.ts";
import { number } from "../base/option.ts";
import { printJson, printLines, say } from "../base/terminal_text.ts";
import { machineName } from "../engine/link_tests.ts";
import { formatLink } from "../link/link.ts";
import { readGivenLink } from "../link/profile_file.ts";
import { machine } from "../load/environment.ts";
import { withArchive } from "../recording/archive/client.ts";
import { ensureSynth } from "../recording/synth/synthetic.ts";
import { openExistingResults } from "../results/store/results.ts";
import { calibrate } from "../sweep/calibrate/calibrate.ts";
import { calibrationPath, writeCalibration } from "../sweep/calibrate/store.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .option("link", { default: "1mbit/50ms", describe: "the fastest link whose loads may share" })
    .option("page", { default: "carlucci-small", describe: "a page of `trilane synth`" })
    .option(
      "rounds",
      number(
        { least: 5, most: 1000, whole: true },
        { default: 20, describe: "rounds: one load alone, then one in each lab at once" },
      ),
    )
    .option(
      "most",
      number(
        { least: 2, most: mostLabs, whole: true },
        { describe: "labs to try at most (default: two for each CPU)" },
      ),
    )
    .option(
      "margin",
      number(
        { least: 0, most: 50, above: true, unit: "per cent" },
        { default: 1, describe: "page load times within this many per cent count as equal" },
      ),
    )
    .example("trilane calibrate", "a few minutes; let nothing else run");

type CalibrateOptions = OptionsOf<typeof define>;

const mostLabs = 64;

/** How many labs are tried by default: two for each CPU. */
export const usualMost = (cpus: number): number => Math.min(mostLabs, 2 * cpus);

const percentText = (value: number | null): string => (value === null ? "?" : `${value.toFixed(2)} %`);

function lines({ labs, steps, link, margin_percent }: Calibration, path: string): string[] {
  return [
    ...steps.map(
      ({ labs: count, percent, low_percent, high_percent, equivalent, invalid, rounds }) =>
        `${count} labs: page load times in the lab least like one alone ${percentText(percent)} longer (90 %: ${percentText(low_percent)} to ${percentText(high_percent)}), ${rounds} rounds, ${invalid} invalid: ${equivalent ? `the same within ${margin_percent} %` : "not shown to be the same"}`,
    ),
    `${labs === 1 ? "loads run one after another" : `up to ${labs} labs side by side`} on links as slow as ${link}: ${path}`,
  ];
}

/** Each would measure what the other one does to it. */
function refuseBesideSweep(home: string): void {
  using results = openExistingResults(home);
  const running = results?.runningSweep() ?? null;
  if (running === null) return;
  const { sweep, pid } = running;
  throw new UserError(`sweep ${sweep} is being run by process ${pid}: wait for it, or stop it first`);
}

export const command: Command<CalibrateOptions> = {
  usage: "calibrate",
  summary: "How many loads this machine bears side by side; sweeps use what it finds",
  define,
  run: async (options) => {
    const { rounds, margin, page } = options;
    const most = options.most ?? usualMost(machine().cpus);
    const home = homeFolder(options.home);
    const link = readGivenLink(options.link, process.cwd());
    if (link.down.rate_bps === null || link.down.trace || link.down.rate_steps || link.switch)
      throw new UserError(`link ${options.link}: has no single rate: name one, as 1mbit/50ms`);
    refuseBesideSweep(home);
    makeFolder(home);
    const recording = await withArchive(home, (archive) => ensureSynth(archive, page));
    const { measureLoad } = await import("../load/load.ts");
    const stop = new AbortController();
    const onSignal = () => stop.abort(new RunError("interrupted: nothing was stored"));
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(name, onSignal);
    const found = await calibrate({
      lanes: plainLanes,
      load: async (lane) => {
        const { signal } = stop;
        const load = await measureLoad({ home, recording, lane, link, timeout_ms: 120_000, signal });
        const { status, metrics } = load.log._trilane;
        return status === "valid" ? metrics.plt_ms : null;
      },
      rounds,
      mostLabs: most,
      margin_percent: margin,
      report: (labs, round) => say(`${labs} labs, round ${round + 1} of ${rounds}`),
      signal: stop.signal,
    });
    const calibration: Calibration = {
      schema: "trilane/calibration/1",
      machine: machineName(),
      made_at: new Date().toISOString(),
      page,
      link: formatLink(link),
      rate_bps: link.down.rate_bps,
      margin_percent: margin,
      ...found,
    };
    await writeCalibration(home, calibration);
    if (options.json) printJson(calibration);
    else printLines(lines(calibration, calibrationPath(home)));
  },
};
