// Dilated loads against undilated ones of the same cells: how far their medians are off, and whether any comparison of lanes
// would be decided the other way. `npm run bench -- dilate [PAGE@LINK]... [K]... [--runs N] [--link LINK]`: the cells whose names
// have one of these words in them, at these dilations; 3 runs of all 12 cells take some 25 minutes on a calm machine.
// `--only served-alike`: undilated loads are served as dilated ones are, TCP by Reno: what is left is not the controller's.
// `--only disturbed`: how many dilated loads are valid at the first try while busy loops and stops disturb the machine.
// `--json` adds every load.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UserError } from "../../cli/base/errors.ts";
import { type PlainLane, plainLanes } from "../../cli/base/lanes.ts";
import { median } from "../../cli/base/quantile.ts";
import { parseLink } from "../../cli/link/link.ts";
import { excess_ms } from "../../cli/load/disturbance.ts";
import { measureLoad } from "../../cli/load/load.ts";
import { type Serving, servingInDilatedTime, stockServing } from "../../cli/load/serving/serving.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/ensure.ts";
import { compare, direction } from "../../cli/results/verdict/comparison.ts";
import { lanePairs, type Sample } from "../../cli/results/verdict/sample.ts";
import { type Bench, type BenchOptions, type Measurement, measurement } from "./bench.ts";
import { onAndOff, whileDisturbed } from "./disturber.ts";

/** None takes longer than 2 s over these links, so that the tenfold of it stays below 20 s. */
const pages = ["carlucci-medium", "cse534-mixed", "cse534-many-small", "cse534-count-16"];
const links = ["20mbit/20ms", "10mbit/50ms", "20mbit/80ms"];
const usualDilations = [5, 10] as const;
const usualRuns = 3;
/** Of a load that the machine disturbed; one by one, so that all dilations meet the same machine. */
const mostTries = 3;
const timeout_ms = 60_000;

interface Cell {
  readonly page: string;
  readonly link: string;
}

interface DilatedLoad extends Sample {
  readonly dilation: number;
  readonly added_computation_ms: number;
  readonly disturbance_ms: number | null;
}

type Load = (cell: Cell, lane: PlainLane, dilation: number, block: number) => Promise<DilatedLoad>;

function loader(home: string, serving: Serving): Load {
  return async ({ page, link }, lane, dilation, block) => {
    const recording = await withArchive(home, (archive) => ensureSynth(archive, page));
    const load = await measureLoad({ home, recording, lane, link: parseLink(link), dilation, serving, timeout_ms });
    const { status, reasons, metrics, disturbance, added_computation_ms = 0 } = load.log._trilane;
    const disturbance_ms = disturbance ? excess_ms(disturbance) : null;
    const measured = { status, reasons, plt_ms: metrics.plt_ms, added_computation_ms, disturbance_ms };
    return { page, link, lane, block, dilation, ...measured };
  };
}

const lineOf = ({ page, link, lane, dilation, plt_ms, status, reasons }: DilatedLoad): string =>
  `${page}@${link}, ${lane}, dilated ${dilation} times: ${plt_ms?.toFixed(0)} ms, ${[status, ...reasons].join(": ")}`;

const isValid = ({ status }: DilatedLoad): boolean => status === "valid";

function pltsOf(loads: readonly DilatedLoad[], lane: PlainLane): number[] {
  return loads.flatMap((load) => (load.lane === lane && isValid(load) && load.plt_ms !== null ? [load.plt_ms] : []));
}

interface Asked {
  readonly cells: readonly Cell[];
  readonly dilations: readonly number[];
  readonly runs: number | null;
}

async function cellLoads(cell: Cell, { dilations, runs }: Asked, load: Load, say: (line: string) => void) {
  const loads: DilatedLoad[] = [];
  for (let block = 0; block < (runs ?? usualRuns); block++)
    for (const dilation of [1, ...dilations])
      for (const lane of plainLanes)
        for (let tries = 0; tries < mostTries; tries++) {
          const one = await load(cell, lane, dilation, block);
          loads.push(one);
          say(lineOf(one));
          if (isValid(one)) break;
        }
  return loads;
}

function medianOff(what: string, before: readonly number[], after: readonly number[]): Measurement {
  const isBoth = before.length > 0 && after.length > 0;
  const off_percent = isBoth ? (median(after) / median(before) - 1) * 100 : Number.NaN;
  return {
    ...measurement(`${what}: median off by`, [off_percent], null, { unit: "%" }),
    n: Math.min(before.length, after.length),
  };
}

function comparisonsTurned(undilated: readonly Sample[], dilated: readonly Sample[]): number {
  return lanePairs(plainLanes).filter((pair) => {
    const [before, after] = [undilated, dilated].map((of) => direction(compare(of, pair, 1)));
    return (before === "faster" && after === "slower") || (before === "slower" && after === "faster");
  }).length;
}

const percentValid = (loads: readonly DilatedLoad[]): number => (loads.filter(isValid).length / loads.length) * 100;

async function calm(asked: Asked, load: Load, say: (line: string) => void) {
  const all: DilatedLoad[] = [];
  const measurements: Measurement[] = [];
  const offs: number[] = [];
  let turned = 0;
  for (const cell of asked.cells) {
    const loads = await cellLoads(cell, asked, load, say);
    all.push(...loads);
    const undilated = loads.filter(({ dilation }) => dilation === 1);
    for (const dilation of asked.dilations) {
      const dilated = loads.filter((one) => one.dilation === dilation);
      for (const lane of plainLanes) {
        const what = `${cell.page}@${cell.link}, ${lane}, dilated ${dilation} times`;
        const off = medianOff(what, pltsOf(undilated, lane), pltsOf(dilated, lane));
        say(`${what}: median off by ${off.median.toFixed(1)} %`);
        measurements.push(off);
        offs.push(Math.abs(off.median));
      }
      turned += comparisonsTurned(undilated, dilated);
    }
  }
  const known = offs.filter(Number.isFinite);
  measurements.push(
    measurement("the median farthest from its undilated one", [known.length > 0 ? Math.max(...known) : Number.NaN], 5, {
      unit: "%",
    }),
    measurement("cells with valid loads on both sides", [(known.length / offs.length) * 100], 100, {
      unit: "%",
      bar_is: "at least",
    }),
    measurement("comparisons decided the other way", [turned], 0, { unit: "times" }),
  );
  for (const dilation of [1, ...asked.dilations]) {
    const share = percentValid(all.filter((one) => one.dilation === dilation));
    measurements.push(measurement(`dilated ${dilation} times: valid at each try`, [share], null, { unit: "%" }));
  }
  return { measurements, details: all };
}

async function disturbed({ cells, dilations, runs }: Asked, load: Load, say: (line: string) => void) {
  const all: DilatedLoad[] = [];
  await whileDisturbed(onAndOff, async () => {
    for (let block = 0; block < (runs ?? 1); block++)
      for (const cell of cells)
        for (const dilation of dilations)
          for (const lane of plainLanes) {
            const one = await load(cell, lane, dilation, block);
            all.push(one);
            say(lineOf(one));
          }
  });
  const measurements = dilations.map((dilation) => {
    const share = percentValid(all.filter((one) => one.dilation === dilation));
    return measurement(`disturbed, dilated ${dilation} times: valid at the first try`, [share], 95, {
      unit: "%",
      bar_is: "at least",
    });
  });
  return { measurements, details: all };
}

/** Whole numbers among the words are dilations, all others parts of cells' names. */
function askedOf(words: readonly string[], { runs, link }: BenchOptions): Asked {
  const numbers = words.filter((word) => /^\d+$/.test(word)).map(Number);
  const names = words.filter((word) => !/^\d+$/.test(word));
  const all = pages.flatMap((page) => (link === null ? links : [link]).map((each) => ({ page, link: each })));
  const cells = all.filter((cell) => names.length === 0 || names.some((name) => nameOf(cell).includes(name)));
  if (cells.length === 0)
    throw new UserError(`no cell ${names.join(", ")}: use parts of ${all.map(nameOf).join(", ")}`);
  const dilations = numbers.filter((number) => number > 1);
  return { cells, dilations: dilations.length > 0 ? dilations : usualDilations, runs };
}

const nameOf = ({ page, link }: Cell): string => `${page}@${link}`;

export const bench: Bench = async (say, only, options) => {
  const isDisturbed = only === "disturbed";
  const isServedAlike = only === "served-alike";
  const hasPart = isDisturbed || isServedAlike;
  const asked = askedOf(options.paths.length > 0 || hasPart || only === "" ? options.paths : [only], options);
  const serving = isServedAlike ? servingInDilatedTime(stockServing, usualDilations[0]) : stockServing;
  const home = await mkdtemp(join(tmpdir(), "trilane-bench-"));
  try {
    return await (isDisturbed ? disturbed : calm)(asked, loader(home, serving), say);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
};
