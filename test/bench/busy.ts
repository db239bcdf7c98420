// What Trilane says on a busy machine, against what it says on a calm one: the same sweep, calm first (the truth), then amid each kind of
// disturbance (busy_disturbances.ts). `npm run bench -- busy [PAGE...] --runs 9 --truth-runs 30 --truth FILE --only loop,loops
// --pages carlucci --links 10mbit/50ms`. Words are pages as `trilane race` takes them (a HAR, a folder of HARs) beside carlucci-small and
// a page of Python's documentation, if that is installed. `--truth FILE` keeps the calm loads, or reads them if the file is there.
// `--user` runs the sweeps as an ordinary user. All of it takes hours; let nothing else run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { UserError } from "../../cli/base/errors.ts";
import { median } from "../../cli/base/quantile.ts";
import { pageFor } from "../../cli/pages/pages.ts";
import { type Load, openExistingResults } from "../../cli/results/store/results.ts";
import { compare, direction, type Improvement } from "../../cli/results/verdict/comparison.ts";
import { isValid, lanePairs } from "../../cli/results/verdict/sample.ts";
import { summarize } from "../../cli/results/verdict/summary.ts";
import type { PlanPage } from "../../schemas/generated/sweep_plan.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type BenchOptions, cpuTime, idleShare, type Measurement, measurement } from "./bench.ts";
import { amid, type Kind, kinds } from "./busy_disturbances.ts";

const trilane = join(import.meta.dirname, "..", "..", "cli", "trilane");
const lanes = ["h1", "h2", "h3"] as const;
const usualLinks = ["10mbit/50ms", "3mbit/100ms"];
const usualRuns = 9;
const usualTruthRuns = 30;
/** Debian's python3-doc. */
const documentation = "/usr/share/doc/python3.11/html";
const nobody = 65534;

/** What the statistics ask of a load, and what the machine did to it. */
type Kept = Pick<
  Load,
  | "page"
  | "link"
  | "lane"
  | "block"
  | "status"
  | "reasons"
  | "plt_ms"
  | "wall_ms"
  | "disturbance_ms"
  | "disturbance_link_ms"
  | "tolerated_ms"
  | "disturbance_estimate_ms"
>;

interface Swept {
  readonly loads: readonly Kept[];
  readonly runs: number;
  readonly wall_s: number;
  readonly idle_share: number;
}

const kept = (load: Load): Kept => {
  const { page, link, lane, block, status, reasons, plt_ms, wall_ms } = load;
  const { disturbance_ms, disturbance_link_ms, tolerated_ms, disturbance_estimate_ms } = load;
  const disturbed = { disturbance_ms, disturbance_link_ms, tolerated_ms, disturbance_estimate_ms };
  return { page, link, lane, block, status, reasons, plt_ms, wall_ms, ...disturbed };
};

interface Asked {
  readonly home: string;
  readonly pages: readonly PlanPage[];
  readonly links: readonly string[];
  readonly isOrdinaryUser: boolean;
}

async function sweep({ home, pages, links, isOrdinaryUser }: Asked, name: string, runs: number): Promise<Swept> {
  const file = join(home, `${name}.json`);
  writeFileSync(file, JSON.stringify({ name, pages, lanes, links, repetitions: runs }));
  const before = cpuTime();
  const began_ms = performance.now();
  const command = [trilane, "sweep", file, "--new", "--json", "--home", home];
  const user = ["setpriv", "--reuid", `${nobody}`, "--regid", `${nobody}`, "--clear-groups", "env", `HOME=${home}`];
  const [program = "", ...words] = isOrdinaryUser ? [...user, ...command] : command;
  const child = spawn(program, words, { stdio: ["ignore", "ignore", "inherit"] });
  await once(child, "close");
  const wall_s = (performance.now() - began_ms) / 1000;
  const results = openExistingResults(home);
  const [newest] = results?.listSweeps() ?? [];
  const loads = newest?.name === name ? (results?.loadsOf(newest.id) ?? []).map(kept) : [];
  results?.close();
  return { loads, runs, wall_s, idle_share: idleShare(before, cpuTime()) };
}

/** The documentation's page, served from this machine and recorded from there. */
async function documentationPage(home: string): Promise<PlanPage> {
  const server: Server = createServer((request, response) => {
    const path = join(documentation, new URL(request.url ?? "/", "http://localhost").pathname);
    const isThere = existsSync(path) && statSync(path).isFile();
    const types: Record<string, string> = {
      html: "text/html",
      css: "text/css",
      js: "text/javascript",
      svg: "image/svg+xml",
    };
    response.writeHead(isThere ? 200 : 404, { "content-type": types[path.split(".").at(-1) ?? ""] ?? "image/png" });
    response.end(isThere ? readFileSync(path) : "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    return await pageFor(home, `http://localhost:${port}/library/json.html`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function pagesOf(home: string, words: readonly string[], wanted: string, say: (line: string) => void) {
  const inFolder = (word: string): string[] =>
    existsSync(word) && statSync(word).isDirectory()
      ? readdirSync(word)
          .filter((name) => /\.har(\.gz)?$/.test(name))
          .map((name) => join(word, name))
      : [word];
  const isWanted = (name: string): boolean => wanted.split(",").some((part) => name.includes(part));
  const pages: PlanPage[] = [];
  for (const word of ["carlucci-small", ...words.flatMap(inFolder)].filter(isWanted))
    pages.push(await pageFor(home, word));
  if (!isWanted("python")) return pages;
  if (existsSync(documentation)) pages.push(await documentationPage(home));
  else say(`without a page of Python's documentation: no ${documentation} (apt install python3-doc)`);
  return pages;
}

const placeOf = ({ page, link }: Pick<Kept, "page" | "link">): string => `${page} over ${link}`;

/** Whether what is called faster is slower by the truth's medians. */
function isAgainst(found: Improvement, truth: Improvement): boolean {
  const way = direction(found);
  if (truth.percent === null || (way !== "faster" && way !== "slower")) return false;
  return way === "faster" ? truth.percent < 0 : truth.percent > 0;
}

interface Judged {
  readonly answered: number[];
  readonly against: number[];
  readonly holds: number[];
  readonly offs: number[];
  readonly widths: number[];
}

/** All pairs of lanes on each page and link. */
function judged(loads: readonly Kept[], truths: readonly Kept[], say: (line: string) => void): Judged {
  const all: Judged = { answered: [], against: [], holds: [], offs: [], widths: [] };
  for (const [place, truth] of Map.groupBy(truths, placeOf)) {
    const found = loads.filter((load) => placeOf(load) === place);
    const medians = new Map(summarize(truth).map(({ lane, median_ms }) => [lane, median_ms]));
    const words = summarize(found).map(({ lane, median_ms, valid }) => {
      const off = ((median_ms ?? Number.NaN) / (medians.get(lane) ?? Number.NaN) - 1) * 100;
      if (Number.isFinite(off)) all.offs.push(Math.abs(off));
      return `${lane} ${median_ms?.toFixed(0)} ms (${off >= 0 ? "+" : ""}${off.toFixed(1)} %, ${valid} valid)`;
    });
    const verdicts = lanePairs(lanes).map((pair) => {
      const [here, there] = [compare(found, pair, 1), compare(truth, pair, 1)];
      all.answered.push(here.interval === null ? 0 : 100);
      all.against.push(isAgainst(here, there) ? 1 : 0);
      if (here.interval && there.percent !== null) {
        const { low, high } = here.interval;
        all.holds.push(low <= there.percent && there.percent <= high ? 100 : 0);
        all.widths.push(high - low);
      }
      const ends = here.interval
        ? `${here.interval.low.toFixed(1)} to ${here.interval.high.toFixed(1)}`
        : "no interval";
      return `${pair.lane}/${pair.over} ${direction(here)} ${here.percent?.toFixed(1)} (${ends}; truth ${there.percent?.toFixed(1)})`;
    });
    say(`  ${place}: ${words.join(", ")}; ${verdicts.join("; ")}`);
  }
  return all;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
const wall_ms = (loads: readonly Kept[]): number => sum(loads.map((load) => load.wall_ms));
const mean = (values: readonly number[]): number => sum(values) / values.length;

function bars(title: string, of: readonly Judged[], times: readonly number[]): Measurement[] {
  const all = (key: keyof Judged): number[] => of.flatMap((each) => each[key]);
  const least = { unit: "%", bar_is: "at least" } as const;
  return [
    measurement(`${title}: races with a verdict, or no difference shown`, [mean(all("answered"))], 95, least),
    measurement(`${title}: decided against calm truth`, [sum(all("against"))], 0, { unit: "times" }),
    measurement(`${title}: intervals that hold calm truth`, [mean(all("holds"))], 93, least),
    measurement(`${title}: medians off calm truth`, all("offs"), 2, { unit: "%" }),
    measurement(`${title}: the median farthest off`, [Math.max(...all("offs"))], 6, { unit: "%" }),
    measurement(`${title}: widths of intervals, points`, all("widths"), null, { unit: "%" }),
    measurement(`${title}: time against calm`, [Math.max(...times)], 1.3, { unit: "ratio" }),
  ];
}

function kindsOf(only: string): Kind[] {
  const all = Object.keys(kinds) as Kind[];
  const named = only === "" ? all : only.split(",");
  const unknown = named.find((name) => !all.some((kind) => kind === name));
  if (unknown !== undefined) throw new UserError(`busy has no disturbance ${unknown}: one of ${all.join(", ")}`);
  return all.filter((kind) => named.includes(kind));
}

function wholeOf(text: string | undefined, usual: number): number {
  const number = Number(text ?? usual);
  if (!(Number.isInteger(number) && number > 0))
    throw new UserError(`--truth-runs ${text}: name a whole number from 1`);
  return number;
}

async function truthOf(asked: Asked, { more }: BenchOptions, say: (line: string) => void): Promise<Swept> {
  const file = more.truth;
  if (file !== undefined && existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as Swept;
  say("calm");
  const truth = await sweep(asked, "calm", wholeOf(more["truth-runs"], usualTruthRuns));
  if (file !== undefined) writeFileSync(file, JSON.stringify(truth));
  return truth;
}

export const bench: Bench = async (say, _part, options) => {
  const { paths, only, runs, more } = options;
  const asked = kindsOf(only);
  const home = tempFolder("trilane-bench-");
  const isOrdinaryUser = more.user !== undefined;
  const pages = await pagesOf(home, paths, more.pages ?? "", say);
  if (isOrdinaryUser)
    for (const name of ["", ...readdirSync(home, { recursive: true }).map(String)])
      chownSync(join(home, name), nobody, nobody);
  const links = more.links?.split(",") ?? usualLinks;
  const plan = { home, pages, links, isOrdinaryUser };
  const truth = await truthOf(plan, options, say);
  const known = { ...truth, loads: truth.loads.filter(({ link }) => links.includes(link)) };
  // Of the calm sweep's time what these links took.
  const perRun_s = ((truth.wall_s / truth.runs) * wall_ms(known.loads)) / wall_ms(truth.loads);
  say(`calm: ${truth.loads.filter(isValid).length} valid of ${truth.loads.length}, CPUs idle ${truth.idle_share}`);
  const found: { kind: Kind; swept: Swept; judged: Judged; times: number }[] = [];
  for (const kind of asked) {
    say(kinds[kind].title);
    const swept = await amid(kind, () => sweep(plan, kind, runs ?? usualRuns));
    const times = swept.wall_s / swept.runs / perRun_s;
    const estimates_ms = swept.loads.flatMap(({ disturbance_estimate_ms }) => disturbance_estimate_ms ?? []);
    const [valid, all] = [swept.loads.filter(isValid).length, swept.loads.length];
    say(
      `  ${valid} valid of ${all}; estimate ${estimates_ms.length > 0 ? median(estimates_ms).toFixed(1) : "-"} ms; ${times.toFixed(2)} times as long`,
    );
    found.push({ kind, swept, judged: judged(swept.loads, known.loads, say), times });
  }
  const each = found.flatMap(({ kind, judged: of, times }) => bars(kinds[kind].title, [of], [times]));
  const together = bars(
    "all",
    found.map(({ judged: of }) => of),
    found.map(({ times }) => times),
  );
  return {
    measurements: found.length > 1 ? [...each, ...together] : each,
    details: { truth, disturbed: found.map(({ kind, swept }) => ({ kind, ...swept })) },
  };
};
