// Dilated loads against undilated ones of the same cells: how far their medians are off, and whether any comparison of lanes
// would be decided the other way. Every number says which way it is off: what the kernel's TCP does in undilated time shows on
// h1 and h2 only. `npm run bench -- dilate [PAGE@LINK]`: all of it takes some 2 hours, and wants a calm machine.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withArchive } from "../../cli/archive/client.ts";
import { plainLanes } from "../../cli/lanes.ts";
import { parseLink } from "../../cli/link/link.ts";
import { measureLoad } from "../../cli/measure/load.ts";
import { median } from "../../cli/stats/quantile.ts";
import { ensureSynth } from "../../cli/synth/ensure.ts";
import { compare, direction } from "../../cli/verdict/comparison.ts";
import { lanePairs, type Sample } from "../../cli/verdict/sample.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";

const pages = ["carlucci-small", "carlucci-medium", "cse534-mixed", "cse534-many-small"];
const links = ["10mbit/50ms", "3mbit/100ms", "1.6mbit/300ms"];
const dilations = [1, 5, 10];
const loads = 5;
const mostTries = 3;

type Samples = Map<number, Sample[]>;

async function load(home: string, page: string, link: string, lane: (typeof plainLanes)[number], dilation: number) {
  const recording = await withArchive(home, (archive) => ensureSynth(archive, page));
  return (await measureLoad({ home, recording, lane, link: parseLink(link), dilation, timeout_ms: 60_000 })).log
    ._trilane;
}

async function cell(home: string, page: string, link: string, say: (line: string) => void): Promise<Samples> {
  const samples: Samples = new Map(dilations.map((dilation) => [dilation, []]));
  for (let block = 0; block < loads; block++)
    for (const dilation of dilations)
      for (const lane of plainLanes)
        for (let tries = 0; tries < mostTries; tries++) {
          const { status, reasons, metrics } = await load(home, page, link, lane, dilation);
          samples.get(dilation)?.push({ page, link, lane, block, status, reasons, plt_ms: metrics.plt_ms });
          if (status === "valid") break;
          say(`${page}, ${link}, ${lane}, ${dilation}: ${reasons[0]}`);
        }
  return samples;
}

const valid = (samples: readonly Sample[], lane: string): number[] =>
  samples.flatMap((sample) =>
    sample.lane === lane && sample.status === "valid" && sample.plt_ms !== null ? [sample.plt_ms] : [],
  );

function measurementsOf(page: string, link: string, samples: Samples, say: (line: string) => void): Measurement[] {
  const undilated = samples.get(1) ?? [];
  return dilations.slice(1).flatMap((dilation): Measurement[] => {
    const dilated = samples.get(dilation) ?? [];
    const what = `${page}, ${link}, dilated ${dilation} times`;
    const ofLanes = plainLanes.map((lane) => {
      const [before, after] = [valid(undilated, lane), valid(dilated, lane)];
      const isBoth = before.length > 0 && after.length > 0;
      const off_percent = isBoth ? (median(after) / median(before) - 1) * 100 : Number.NaN;
      if (isBoth)
        say(
          `${what}, ${lane}: ${median(before).toFixed(0)} -> ${median(after).toFixed(0)} ms (${off_percent.toFixed(1)} %)`,
        );
      return measurement(`${what}, ${lane}: median off by`, [Math.abs(off_percent)], 5, { unit: "%" });
    });
    const opposite = lanePairs(plainLanes).filter((pair) => {
      const [before, after] = [undilated, dilated].map((of) => direction(compare(of, pair, 1)));
      return (before === "faster" && after === "slower") || (before === "slower" && after === "faster");
    });
    const kept = (dilated.filter(({ status }) => status === "valid").length / dilated.length) * 100;
    return [
      ...ofLanes,
      measurement(`${what}: comparisons decided the other way`, [opposite.length], 0, { unit: "times" }),
      measurement(`${what}: valid at each try`, [kept], null, { unit: "%" }),
    ];
  });
}

export const bench: Bench = async (say, only) => {
  const home = await mkdtemp(join(tmpdir(), "trilane-bench-"));
  const cells = pages.flatMap((page) => links.map((link) => ({ page, link })));
  const asked = cells.filter(({ page, link }) => `${page}@${link}`.includes(only));
  try {
    const measurements: Measurement[] = [];
    for (const { page, link } of asked)
      measurements.push(...measurementsOf(page, link, await cell(home, page, link, say), say));
    return measurements;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
};
