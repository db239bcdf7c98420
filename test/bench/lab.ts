// What a load costs beyond itself: making and removing a lab, the browser's share of a load's wall time, and the replay's
// start on a large recording. The bars are the product's.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { plainLanes } from "../../cli/base/lanes.ts";
import { programPath } from "../../cli/base/programs.ts";
import { parseLink } from "../../cli/link/link.ts";
import { labCommand } from "../../cli/load/lab.ts";
import { measureLoad } from "../../cli/load/load.ts";
import { quiet_ms } from "../../cli/load/quiet_page.ts";
import type { NewExchange } from "../../cli/recording/archive/archive.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { exchange as anExchange } from "../cli/recording/archive/example_recording.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";

const labs = 40;
const loadsPerLane = 10;
const starts = 40;
const objects = 600;
const hosts = 20;
const link = parseLink("10mbit/50ms");

/** An HTML page and its objects: `count` in all, over a number of hosts, each host at an address of its own. */
function pageExchanges(count: number, hostCount: number): NewExchange[] {
  const host = (index: number): string => `host${index % hostCount}.example`;
  const sources = Array.from({ length: count - 1 }, (_, index) => `https://${host(index)}/object-${index}`);
  const document = `<!doctype html><title>bench</title>${sources.map((url) => `<link rel="x-bench" href="${url}">`).join("")}`;
  const exchange = (index: number, path: string, type: string, body: Uint8Array): NewExchange => ({
    exchange: anExchange(path, {
      host: host(index),
      address: `192.0.2.${1 + (index % hostCount)}`,
      response_headers: [["content-type", type]],
      recorded: {},
    }),
    body,
  });
  return [
    exchange(0, "/", "text/html", new TextEncoder().encode(document)),
    ...sources.map((_, index) => exchange(index, `/object-${index}`, "application/octet-stream", randomBytes(4000))),
  ];
}

async function writeRecording(home: string, name: string, exchanges: readonly NewExchange[]) {
  const url = "https://host0.example/";
  return await withArchive(home, (archive) =>
    archive.write({ name, url, source: "bench", notes: {}, replace: false }, async (writer) => {
      for (const exchange of exchanges) await writer.add(exchange);
    }),
  );
}

/** Runs a command to its end and returns its wall time. */
async function timed(command: readonly string[]): Promise<number> {
  const [program = "", ...words] = command;
  const started_ms = performance.now();
  const child = spawn(program, words, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += String(chunk);
  });
  const status = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (status !== 0) throw new Error(`${command.join(" ")} ended with ${status}: ${said}`);
  return performance.now() - started_ms;
}

async function repeated(times: number, once: () => Promise<number>): Promise<number[]> {
  // The first run reads programs and recording from the disk and makes the certificate authority.
  await once();
  const values: number[] = [];
  for (let index = 0; index < times; index++) values.push(await once());
  return values;
}

async function measureStart(home: string, recording: string): Promise<number> {
  const report = join(home, "replay.json");
  await timed([
    programPath("trilane-replay"),
    "--home",
    home,
    "--recording",
    recording,
    "--report",
    report,
    "--",
    "true",
  ]);
  const { start_ns, ready_ns } = JSON.parse(await readFile(report, "utf8"));
  return (ready_ns - start_ns) / 1e6;
}

async function measureLoads(home: string, say: (line: string) => void): Promise<Measurement[]> {
  const recording = await writeRecording(home, "page", pageExchanges(20, 4));
  const beyond = new Map(plainLanes.map((lane) => [lane, [] as number[]]));
  for (let block = 0; block <= loadsPerLane; block++) {
    for (const lane of plainLanes) {
      const load = await measureLoad({ home, recording, lane, link, timeout_ms: 30_000 });
      const { status, reasons, metrics, wall_ms } = load.log._trilane;
      if (metrics.plt_ms === null) throw new Error(`a load over ${lane} has no PLT: ${status}: ${reasons.join("; ")}`);
      if (status !== "valid") say(`${status} load over ${lane}: ${reasons[0]}`);
      // The first block reads the browser from the disk.
      if (block > 0) beyond.get(lane)?.push(wall_ms - metrics.plt_ms - quiet_ms);
    }
  }
  const what = `load's wall time beyond its PLT and ${quiet_ms} ms of quiet`;
  return [...beyond].map(([lane, values]) => measurement(`${what}, ${lane}`, values, 1000));
}

export const bench: Bench = async (say) => {
  const home = tempFolder("trilane-bench-");
  say(`${labs} labs without a browser`);
  await writeRecording(home, "small", pageExchanges(20, 4));
  const lab = labCommand({ home, recording: "small", link, reports: null });
  const made = await repeated(labs, () => timed([...lab.replay, ...lab.shaper, "true"]));
  say(`${starts} starts of trilane-replay on ${objects} objects`);
  await writeRecording(home, "large", pageExchanges(objects, hosts));
  const started = await repeated(starts, () => measureStart(home, "large"));
  say(`${loadsPerLane} loads of each lane`);
  return [
    measurement("lab made and removed", made, 100),
    measurement(`trilane-replay's start on ${objects} objects`, started, 50),
    ...(await measureLoads(home, say)),
  ];
};
