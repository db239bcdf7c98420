// trilane-host: how long a hello takes, a page's bodies being handed over, and what memory that costs.
import { readFileSync } from "node:fs";
import { programPath } from "../../cli/base/programs.ts";
import { HostConversation } from "../../cli/recording/archive/host.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";

const hellos = 1000;
const handOvers = 5;
const bodies_bytes = 20_000_000;
/** As the extension sends them: what schemas/message.schema.json says always fits. */
const piece_characters = 1024 * 1024;
/** The largest message that is taken. */
const largestMessage_bytes = 8 * 1024 * 1024;

/** The text of a HAR with so many bytes of bodies, in base64, beside quotes and newlines as JSON has them. */
function harText(): string {
  const body = Buffer.alloc(75_000, "a body that is not text\0").toString("base64");
  const entries = Math.ceil(bodies_bytes / 75_000);
  const entry = { request: { method: "GET", url: "https://a.example/" }, response: { content: { text: body } } };
  return JSON.stringify({ log: { version: "1.2", entries: Array.from({ length: entries }, () => entry) } }, null, 1);
}

/** The most memory that a process has had, in MB: program and libraries included. */
function peakMemory_mb(pid: number): number {
  const line = readFileSync(`/proc/${pid}/status`, "utf8").match(/^VmHWM:\s*(\d+) kB/m);
  return (Number(line?.[1]) * 1024) / 1e6;
}

async function withHost<Result>(use: (host: HostConversation) => Promise<Result>): Promise<Result> {
  const home = tempFolder("trilane-bench-");
  const host = new HostConversation(programPath("trilane-host"), ["--home", home]);
  try {
    return await use(host);
  } finally {
    await host.end();
  }
}

async function roundTrips_ms(host: HostConversation): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < hellos; i++) {
    const start_ms = performance.now();
    await host.send("hello");
    times.push(performance.now() - start_ms);
  }
  return times;
}

async function handOver(host: HostConversation, text: string): Promise<number> {
  const start_ms = performance.now();
  const { upload } = await host.send("profile.begin", { name: "bench", bytes: text.length });
  for (let from = 0; from < text.length; from += piece_characters)
    await host.send("profile.data", { upload, text: text.slice(from, from + piece_characters) });
  await host.send("profile.commit", { upload });
  return performance.now() - start_ms;
}

/** Beyond the size of the message: one as large as is taken, in one string. */
async function memoryOfLargest_mb(): Promise<number> {
  return await withHost(async (host) => {
    const { upload } = await host.send("profile.begin", { name: "bench" });
    await host.send("profile.data", { upload, text: "x".repeat(largestMessage_bytes - 1000) });
    return peakMemory_mb(host.pid ?? 0) - largestMessage_bytes / 1e6;
  });
}

export const bench: Bench = async (say) => {
  const values: Measurement[] = [];
  say(`${hellos} hellos, one after another`);
  values.push(measurement("hello, there and back", await withHost(roundTrips_ms), 2));
  const text = harText();
  say(`${(text.length / 1e6).toFixed(1)} MB of HAR with bodies, ${handOvers} times`);
  const { times, memory_mb } = await withHost(async (host) => {
    const handed: number[] = [];
    for (let i = 0; i < handOvers; i++) handed.push(await handOver(host, text));
    return { times: handed, memory_mb: peakMemory_mb(host.pid ?? 0) - piece_characters / 1e6 };
  });
  values.push(measurement("20 MB of bodies handed over", times, 2000));
  values.push(measurement("memory beyond a message, meanwhile", [memory_mb], 30, { unit: "MB" }));
  values.push(measurement("memory beyond the largest message", [await memoryOfLargest_mb()], 30, { unit: "MB" }));
  return values;
};
