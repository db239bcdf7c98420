// Modelled pages against the pages that they stand for, where both can be raced: the median PLT of each lane, and which lane is found
// faster. `npm run bench -- model PAGE... [--runs 5] [--link LINK] [--only NAME]`; PAGE is whatever `trilane race` takes,
// or `documentation` or `applications`: the pages of `bench -- fidelity` and `bench -- applications`, recorded live over h2.
// Over h1 at 3mbit/100ms six connections overflow the link's queue, and which of them loses packets is chance: MediaWiki's loads take
// 1.5 to 2.1 s as recorded and as its model alike, and 1.5 s both with `--link 3mbit/100ms,queue=1000p`, where nothing is dropped.
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { UserError } from "../../cli/base/errors.ts";
import { quantile } from "../../cli/base/quantile.ts";
import { textTable } from "../../cli/base/text_table.ts";
import type { RaceComparison } from "../../schemas/generated/race_result.ts";
import { tempFolder } from "../temp_folder.ts";
import { applicationSites } from "./applications_fidelity.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";
import { documentationSites } from "./fidelity.ts";
import { type LiveSites, makePlace, type Place, recordLive } from "./live_place.ts";
import { withPrograms } from "./live_programs.ts";
import { type RacedPage, racePage } from "./race_page.ts";

const usualLinks = ["10mbit/50ms", "3mbit/100ms", "50mbit/20ms"] as const;
const bars = { lane_percent: 10, all_percent: 5 };

type Home = Pick<Place, "scratch" | "home">;

const live: Readonly<Record<string, (scratch: string) => Promise<LiveSites>>> = {
  documentation: async () => documentationSites(),
  applications: applicationSites,
};

/** Of what PAGE names, the recordings; of anything else, itself. */
async function pagesOf(named: string, { scratch, home }: Home): Promise<string[]> {
  const make = live[named];
  if (!make) return [named];
  const folder = join(scratch, named);
  await mkdir(folder);
  const sites = await make(folder);
  const place = makePlace(folder, home, sites);
  return await withPrograms(sites.programs ?? [], async () => {
    const names: string[] = [];
    for (const { urls } of sites.pages) names.push((await recordLive(place, urls.h2, "h2")).name);
    return names;
  });
}

interface Pair {
  readonly page: string;
  readonly link: string;
  readonly recorded: RacedPage;
  readonly modelled: RacedPage;
}

interface LaneDifference {
  readonly lane: string;
  readonly recorded_ms: number;
  readonly modelled_ms: number;
  /** Positive: the model is slower. */
  readonly percent: number;
}

function laneDifferences({ recorded, modelled }: Pair): LaneDifference[] {
  return (recorded.result?.lanes ?? []).flatMap(({ lane, median_ms: recorded_ms }) => {
    const modelled_ms = modelled.result?.lanes.find((each) => each.lane === lane)?.median_ms ?? null;
    if (recorded_ms === null || modelled_ms === null) return [];
    return [{ lane, recorded_ms, modelled_ms, percent: (modelled_ms / recorded_ms - 1) * 100 }];
  });
}

const pairOf = ({ lane, against }: RaceComparison): string => `${lane} over ${against}`;

/** Pairs of lanes of which one race found the one faster, and the other race the other. */
function opposites({ recorded, modelled }: Pair): string[] {
  return (recorded.result?.comparisons ?? [])
    .filter((one) => {
      const other = modelled.result?.comparisons.find((each) => pairOf(each) === pairOf(one));
      if (!one.decided || !other?.decided) return false;
      return Math.sign(one.improvement_percent ?? 0) === -Math.sign(other.improvement_percent ?? 0);
    })
    .map(pairOf);
}

function rows(pair: Pair): string[][] {
  const lanes = laneDifferences(pair).map(({ lane, recorded_ms, modelled_ms, percent }) => [
    lane,
    `${Math.round(recorded_ms)}`,
    `${Math.round(modelled_ms)}`,
    `${percent >= 0 ? "+" : ""}${percent.toFixed(1)} %`,
  ]);
  const failed = [pair.recorded, pair.modelled].find(({ exit }) => exit !== 0);
  const cells = lanes.length > 0 ? lanes : [["", "", "", failed?.said ?? "no valid load"]];
  const against = opposites(pair);
  return cells.map((cell, index) => [pair.page, pair.link, ...cell, index === 0 ? against.join(", ") : ""]);
}

function measured(pairs: readonly Pair[]): Measurement[] {
  const cells = pairs.flatMap((pair) => laneDifferences(pair).map((lane) => ({ pair, lane })));
  const off = cells.map(({ lane }) => Math.abs(lane.percent));
  return [
    ...cells.map(({ pair: { page, link }, lane: { lane, percent } }) =>
      measurement(`${page}, ${link}, ${lane}: median PLT off by`, [Math.abs(percent)], bars.lane_percent, {
        unit: "%",
      }),
    ),
    ...(off.length > 0
      ? [measurement("all cells: median PLT off by", [quantile(off, 0.5)], bars.all_percent, { unit: "%" })]
      : []),
    measurement("comparisons decided the other way", [pairs.flatMap(opposites).length], 0, { unit: "times" }),
    measurement(
      "pages and links without both",
      [pairs.filter((pair) => laneDifferences(pair).length === 0).length],
      0,
      { unit: "times" },
    ),
  ];
}

export const bench: Bench = async (say, _part, { paths, only, runs, link }) => {
  const scratch = tempFolder("trilane-bench-");
  const home = join(scratch, "home");
  const named: string[] = [];
  for (const path of paths) named.push(...(await pagesOf(path, { scratch, home })));
  const pages = named.filter((path) => path.includes(only));
  if (pages.length === 0) throw new UserError("model: name HAR files or URLs that can be raced as recorded, too");
  const pairs: Pair[] = [];
  for (const path of pages)
    for (const each of link === null ? usualLinks : [link]) {
      const page = basename(path);
      say(`${page} over ${each}: as recorded, and as its model`);
      const choice = { home, link: each, runs: runs ?? 5 };
      const recorded = await racePage(path, { ...choice, words: ["--as", "recorded"] });
      const modelled = await racePage(path, { ...choice, words: ["--as", "model"] });
      const pair = { page, link: each, recorded, modelled };
      pairs.push(pair);
      for (const row of rows(pair)) say(`  ${row.slice(2).filter(Boolean).join("  ")}`);
    }
  const head = ["page", "link", "lane", "recorded ms", "model ms", "off by", "decided the other way"];
  for (const line of textTable([head, ...pairs.flatMap(rows)])) say(line);
  const details = pairs.map((pair) => ({
    page: pair.page,
    link: pair.link,
    lanes: laneDifferences(pair),
    opposite: opposites(pair),
    said: [pair.recorded.said, pair.modelled.said],
  }));
  return { measurements: measured(pairs), details };
};
