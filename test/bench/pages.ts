// Every HAR of a folder raced over three lanes, as a user would: which gives a verdict, of what, and how much of the recording its
// loads asked for. `npm run bench -- pages DIR [--runs 5] [--link 10mbit/50ms] [--only NAME]`.
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { UserError } from "../../cli/base/errors.ts";
import { textTable } from "../../cli/base/text_table.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";
import { hasVerdict, type RacedPage, racePage } from "./race_page.ts";

/** A valid load has asked for at least these shares of its recording. */
const leastRequests_percent = 95;
const leastBytes_percent = 98;

function harFiles(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true }).map(String);
  } catch {
    throw new UserError(`pages: ${folder}: cannot be read: name a folder of HAR files`);
  }
  const files = names.filter((name) => /\.(harp?(\.(gz|zst|br))?|zip)$/i.test(name)).toSorted();
  if (files.length === 0) throw new UserError(`pages: ${folder}: holds no HAR`);
  return files.map((name) => join(folder, name));
}

const percent = (share: number | undefined): string => (share === undefined ? "" : `${(share * 100).toFixed(1)} %`);

/** "valid/all" of each lane. */
const loadsText = ({ result }: RacedPage): string =>
  (result?.lanes ?? []).map(({ lane, loads, invalid }) => `${lane} ${loads}/${loads + invalid}`).join(", ");

function row(name: string, raced: RacedPage): string[] {
  const { page, modelled, coverage, wall_s } = raced;
  const kind = page === null ? "" : modelled ? "modelled" : "recorded";
  return [name, kind, percent(coverage?.requests), percent(coverage?.bytes), loadsText(raced), `${wall_s} s`];
}

function told({ result, said, exit }: RacedPage): string[] {
  const excluded = (result?.excluded ?? []).map(({ reason, count }) => `${count} invalid: ${reason}`);
  const why = exit === 0 ? [] : [`exit ${exit ?? "by a signal"}: ${said}`];
  return [...(result?.verdict.sentences ?? []), ...excluded, ...why];
}

function measured(name: string, raced: RacedPage): Measurement[] {
  const { coverage, wall_s } = raced;
  const share = { unit: "%", bar_is: "at least" } as const;
  return [
    measurement(`${name}: verdict`, [hasVerdict(raced) ? 1 : 0], 1, { unit: "times", bar_is: "at least" }),
    ...(coverage
      ? [
          measurement(`${name}: requests asked for, least`, [coverage.requests * 100], leastRequests_percent, share),
          measurement(`${name}: bytes asked for, least`, [coverage.bytes * 100], leastBytes_percent, share),
        ]
      : []),
    measurement(`${name}: wall time`, [wall_s * 1000], null),
  ];
}

export const bench: Bench = async (say, _part, { paths, only, runs, link }) => {
  const [folder] = paths;
  if (folder === undefined) throw new UserError("pages: name a folder of HAR files");
  const files = harFiles(folder).filter((file) => relative(folder, file).includes(only));
  if (files.length === 0) throw new UserError(`pages: no file's name has ${JSON.stringify(only)} in it`);
  const home = tempFolder("trilane-bench-");
  const all: { name: string; raced: RacedPage }[] = [];
  for (const file of files) {
    const name = relative(folder, file);
    say(`${name} (${all.length + 1} of ${files.length})`);
    const raced = await racePage(file, { home, link: link ?? "10mbit/50ms", runs: runs ?? 5 });
    all.push({ name, raced });
    for (const line of [row(name, raced).filter(Boolean).join("; "), ...told(raced)]) say(`  ${line}`);
  }
  const head = ["page", "", "requests", "bytes", "valid loads", "wall"];
  for (const line of textTable([head, ...all.map(({ name, raced }) => row(name, raced))])) say(line);
  return {
    measurements: all.flatMap(({ name, raced }) => measured(name, raced)),
    // Loads' own documents would be megabytes.
    details: all.map(({ name, raced: { result, ...raced } }) => ({
      name,
      ...raced,
      lanes: result?.lanes.map(({ load: _, filmstrip: __, ...lane }) => lane) ?? [],
      comparisons: result?.comparisons ?? [],
      sentences: result?.verdict.sentences ?? [],
      excluded: result?.excluded ?? [],
    })),
  };
};
