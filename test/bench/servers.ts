// Servers of others in front of recordings. `bodies`: each answers all requests of a page as it was recorded, on each lane that it can
// serve. `large`: how fast each sends a large file over HTTP/2 and 3, what that costs it, and what the capture shows.
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { checkout, programPath } from "../../cli/base/programs.ts";
import { median } from "../../cli/base/quantile.ts";
import { runProgram } from "../../cli/base/run_program.ts";
import { textTable } from "../../cli/base/text_table.ts";
import { installedServer, type ServerProgram, serverPath, serverPrograms } from "../../cli/load/servers/programs.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { recordedUrl } from "../../cli/recording/archive/recorded_requests.ts";
import { answerOf, type ServedFetch, servedFetch } from "../e2e/server_lab.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";
import { captureFacts } from "./capture_facts.ts";
import { documentationSites } from "./fidelity.ts";
import { makePlace, recordLive } from "./live_place.ts";

const synthetic = "carlucci-medium";
const largeFile = "object-100MB";
const largeLinks = ["150mbit/16ms", "1gbit/16ms"];
type BenchLane = ServedFetch["lane"];

async function synthesize(home: string, page: string): Promise<string> {
  await runProgram(process.execPath, [join(checkout, "cli", "main.ts"), "synth", page, "--home", home]);
  return page;
}

/** Those that are installed, with the lanes that each has. */
async function lanesOfAll(say: (line: string) => void): Promise<Map<ServerProgram, BenchLane[]>> {
  const found = new Map<ServerProgram, BenchLane[]>();
  for (const name of serverPrograms) {
    if (serverPath(name) === null) {
      say(`${name}: not installed`);
      continue;
    }
    const { version, noH3 } = await installedServer(name);
    say(`${name} ${version}${noH3 === null ? "" : ` ${noH3}`}`);
    found.set(name, noH3 === null ? ["h1", "h2", "h3"] : ["h1", "h2"]);
  }
  return found;
}

async function recordingsOf(home: string, scratch: string, say: (line: string) => void): Promise<string[]> {
  const names = [await synthesize(home, synthetic)];
  const sites = documentationSites();
  const place = makePlace(scratch, home, sites);
  for (const { urls } of sites.pages) {
    say(`recording ${urls.h2}`);
    names.push((await recordLive(place, urls.h2, "h2")).name);
  }
  return names;
}

async function bodies(home: string, scratch: string, say: (line: string) => void): Promise<Measurement[]> {
  const servers = await lanesOfAll(say);
  const measured: Measurement[] = [];
  for (const name of await recordingsOf(home, scratch, say)) {
    const { recording, exchanges } = await withArchive(home, (archive) => archive.show(name));
    const urls = exchanges.map(recordedUrl);
    const asked = { home, recording, urls };
    for (const lane of ["h1", "h2", "h3"] as const) {
      const own = (await servedFetch({ ...asked, lane, server: null })).records.map(answerOf);
      for (const [server, lanes] of servers) {
        if (!lanes.includes(lane)) continue;
        const answers = (await servedFetch({ ...asked, lane, server })).records.map(answerOf);
        const same = answers.filter((answer, at) => answer === own[at]).length;
        const title = `${name} over ${lane} from ${server}: equal answers of ${urls.length}`;
        measured.push(measurement(title, [(same / own.length) * 100], 100, { unit: "%", bar_is: "at least" }));
      }
    }
  }
  return measured;
}

/** One download as a row: Mbit/s, the server's CPU time for a megabyte, and what the capture says. */
interface Download {
  readonly rate_mbps: number;
  readonly cpu_ms: number | null;
  readonly acks: number;
  readonly dropped: number;
  readonly pause_ms: number;
  readonly flight_kB: number | null;
}

async function download(asked: ServedFetch, pcapng: string): Promise<Download> {
  const { records, cpu_ms, firstFlight_bytes } = await servedFetch({ ...asked, pcapng });
  const [record] = records;
  const { down, up, dropped, longestPause_ms } = captureFacts(readFileSync(pcapng));
  await rm(pcapng);
  const bytes = record?.body_bytes ?? Number.NaN;
  return {
    rate_mbps: (bytes * 8) / 1000 / (record?.download_ms ?? Number.NaN),
    cpu_ms: cpu_ms === null ? null : cpu_ms / (bytes / 1e6),
    acks: (up / down) * 100,
    dropped: (dropped / (down + dropped)) * 100,
    pause_ms: longestPause_ms,
    flight_kB: firstFlight_bytes === null ? null : firstFlight_bytes / 1000,
  };
}

const of = (downloads: readonly Download[], value: (one: Download) => number | null): string => {
  const values = downloads.flatMap((one) => value(one) ?? []);
  return values.length === 0 ? "" : median(values).toPrecision(3);
};

async function large(
  home: string,
  scratch: string,
  { runs, links }: { readonly runs: number; readonly links: readonly string[] },
  say: (line: string) => void,
): Promise<Measurement[]> {
  const servers = new Map<ServerProgram | null, BenchLane[]>([[null, ["h2", "h3"]], ...(await lanesOfAll(say))]);
  const name = await synthesize(home, largeFile);
  const { recording, exchanges } = await withArchive(home, (archive) => archive.show(name));
  const urls = exchanges.slice(0, 1).map(recordedUrl);
  const measured: Measurement[] = [];
  for (const link of links) {
    const cells = [...servers].flatMap(([server, lanes]) =>
      lanes.flatMap((lane) => (lane === "h1" ? [] : [{ server, lane, downloads: [] as Download[] }])),
    );
    for (let run = 0; run < runs; run++)
      for (const { server, lane, downloads } of cells)
        downloads.push(await download({ home, recording, urls, lane, server, link }, join(scratch, "packets.pcapng")));
    const rows = cells.map(({ server, lane, downloads }) => [
      `${lane}+${server ?? "replay"}`,
      of(downloads, ({ rate_mbps }) => rate_mbps),
      of(downloads, ({ cpu_ms }) => cpu_ms),
      of(downloads, ({ acks }) => acks),
      of(downloads, ({ dropped }) => dropped),
      of(downloads, ({ pause_ms }) => pause_ms),
      of(downloads, ({ flight_kB }) => flight_kB),
    ]);
    const heads = [
      "lane",
      "Mbit/s",
      "server's ms of CPU per MB",
      "packets up per 100 down",
      "dropped, %",
      "longest pause, ms",
      "first flight, kB",
    ];
    say(`${largeFile} over ${link}, medians of ${runs}:\n${textTable([heads, ...rows]).join("\n")}`);
    for (const { server, lane, downloads } of cells)
      measured.push(
        measurement(
          `${link}: ${lane}+${server ?? "replay"}, download`,
          downloads.map(({ rate_mbps }) => rate_mbps / 1000),
          null,
          { unit: "Gbit/s" },
        ),
      );
  }
  return measured;
}

export const bench: Bench = async (say, only, { runs, link }) => {
  const scratch = tempFolder("trilane-bench-");
  const home = join(scratch, "home");
  programPath("trilane-server");
  return [
    ...("bodies".includes(only) ? await bodies(home, scratch, say) : []),
    ...("large".includes(only)
      ? await large(home, scratch, { runs: runs ?? 5, links: link === null ? largeLinks : [link] }, say)
      : []),
  ];
};
