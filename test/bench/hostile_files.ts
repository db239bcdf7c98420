// Files of at most 2 MB that were made to cost much, through the commands that read them: deep, wide, long, packed a thousandfold, of very many
// parts. Each is read or refused in one line, below 1 GB of memory and in less than 20 s. `--only NAME`: the files whose names have it.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import { checkout } from "../../cli/base/programs.ts";
import { zip } from "../../cli/install/zip.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";
import { heldBy } from "./process_tree.ts";

const most_bytes = 2e6;
const [bar_MB, bar_ms] = [1000, 20_000];

/** As often as it fits. */
const repeated = (text: string, around = ""): string =>
  text.repeat(Math.floor((most_bytes - around.length) / text.length));

const entry = (url: string, text = "x"): object => ({
  startedDateTime: "2026-01-05T10:00:00.000Z",
  request: { method: "GET", url, headers: [] },
  response: { status: 200, headers: [], content: { text, mimeType: "text/html" } },
});
const har = (title: string, entries: readonly object[]): string =>
  JSON.stringify({ log: { version: "1.2", creator: { name: "x" }, pages: [{ id: "p", title }], entries } });
const count = Math.floor(most_bytes / JSON.stringify(entry("https://a.example/12345", "12345")).length) - 1;

/** A hundred megabytes of one byte in a gzip member; several in a row are one file. */
function gzipBomb(byte: string): Buffer {
  const member = gzipSync(Buffer.alloc(100e6, byte));
  return Buffer.concat(Array.from({ length: Math.floor(most_bytes / member.length) }, () => member));
}
const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
const planOf = (pages: readonly unknown[], links: readonly unknown[] = ["3mbit/50ms"]): string =>
  JSON.stringify({ name: "x", lanes: ["h1", "h2", "h3"], repetitions: 1, seed: 1, pages, links });
const plan = (pages: number, links: number): string =>
  planOf(
    upTo(pages).map((at) => `p${at}`),
    upTo(links).map((at) => `${at}kbit/50ms`),
  );

/** By name, which begins with what is done with it; made when it is wanted. */
const files: Readonly<Record<string, () => string | Buffer>> = {
  "import deep.har": () => repeated("["),
  "import deep objects.har": () => repeated('{"log":'),
  "import wide.har": () => `{"log":{"entries":[${repeated("{},", " ".repeat(40))}{}]}}`,
  "import numbers.har": () => `{"log":{"entries":[${repeated("1,", " ".repeat(40))}1]}}`,
  "import entries.har": () =>
    har(
      "x",
      Array.from({ length: count }, (_, at) => entry(`https://a.example/${at}`)),
    ),
  "import hosts.har": () =>
    har(
      "x",
      Array.from({ length: count }, (_, at) => entry(`https://h${at}.example/`)),
    ),
  "import bodies.har": () =>
    har(
      "x",
      Array.from({ length: count }, (_, at) => entry(`https://a.example/${at}`, `${at}`)),
    ),
  "import title.har": () => har(repeated("t", " ".repeat(400)), [entry("https://a.example/")]),
  "import url.har": () => har("x", [entry(`https://a.example/${repeated("%", " ".repeat(400))}`)]),
  "import spaces.har": () => repeated(" "),
  "import gzip.har.gz": () => gzipBomb("["),
  "import gzip of spaces.har.gz": () => gzipBomb(" "),
  "import zstd.har.zst": () => zstdCompressSync(Buffer.alloc(1e9, " ")),
  "import brotli.har.br": () => brotliCompressSync(Buffer.alloc(1e9, " "), fast),
  "import zip.har.zip": () =>
    zip(Array.from({ length: 19 }, (_, at) => ({ name: `${at}.har`, bytes: Buffer.alloc(100e6, "[") }))),
  "import many.har.zip": () => zip(Array.from({ length: 18_000 }, (_, at) => ({ name: `${at}`, bytes: Buffer.of(1) }))),
  "import deep.wprgo": () => `{"Requests":${repeated("[", " ".repeat(20))}`,
  "import gzip.wprgo": () => gzipBomb(" "),
  "plan deep.json": () => repeated("["),
  "plan cells.json": () => plan(90_000, 80_000),
  "plan pages.json": () => plan(180_000, 1),
  "plan links.json": () => plan(1, 100_000),
  "plan wrong.json": () => planOf(upTo(280_000)),
  "plan objects.json": () => planOf(upTo(100_000).map((at) => ({ synth: `p${at}` }))),
  "plan braces.json": () => planOf(["{a,b}".repeat(60)]),
  "plan word.json": () => planOf([repeated("{a}", " ".repeat(200))]),
  "plan pattern.json": () => planOf([repeated("*a", " ".repeat(200))]),
  "plan grid.json": () => planOf(["p"], [{ grid: { rates_mbit: upTo(2000), rtts_ms: upTo(2000) } }]),
  "plan corpus.json": () => planOf(upTo(60_000).map((at) => `corpus:das-2014-500-seed-${at}`)),
  "trace info ones.down": () => repeated("1\n"),
  "trace info far.down": () => `${repeated("1\n", " ".repeat(40))}9007199254740991\n`,
  "trace info line.down": () => repeated("1"),
  "trace info deep.json": () => repeated("["),
  "flows deep.json": () => repeated("["),
  "reproduce zeros.trilane": () => zstdCompressSync(Buffer.alloc(1e9)),
  "merge zeros.db": () => Buffer.alloc(most_bytes),
  "merge pages.db": () => Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(most_bytes - 16, 1)]),
};

interface Cost {
  /** Because of its time or its memory. */
  readonly isKilled: boolean;
  readonly peak_MB: number;
  readonly wall_ms: number;
  readonly lines: readonly string[];
}

async function costOf(words: readonly string[], home: string): Promise<Cost> {
  const begin_ms = performance.now();
  const child = spawn(join(checkout, "cli", "trilane"), [...words, "--home", home], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let [peak_bytes, said, isKilled] = [0, "", false];
  child.stderr.on("data", (piece: Buffer) => {
    said += piece.toString();
  });
  const look = setInterval(() => {
    peak_bytes = Math.max(peak_bytes, heldBy(child.pid ?? 0).resident_bytes);
    if (performance.now() - begin_ms < 3 * bar_ms && peak_bytes < 3e9) return;
    isKilled = child.kill("SIGKILL");
  }, 20);
  await new Promise((resolve) => child.on("close", resolve));
  clearInterval(look);
  const lines = said.split("\n").filter((line) => line !== "");
  return { isKilled, peak_MB: peak_bytes / 1e6, wall_ms: performance.now() - begin_ms, lines };
}

export const bench: Bench = async (say, only) => {
  const folder = tempFolder("trilane-hostile-files-");
  const measured: Measurement[] = [];
  for (const [name, made] of Object.entries(files).filter(([each]) => each.includes(only))) {
    const [, command = "", file = ""] = /^(trace info|\w+) (.*)$/.exec(name) ?? [];
    const path = join(folder, name.replaceAll(" ", "-"), file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, made());
    const { isKilled, peak_MB, wall_ms, lines } = await costOf(
      [...command.split(" "), path],
      join(dirname(path), "home"),
    );
    const last = isKilled ? "KILLED: it was not done" : lines.at(-1);
    say(`${name}: ${last?.replace(dirname(path), "").slice(0, 160) ?? "read"}`);
    measured.push(measurement(`${name}: memory`, [peak_MB], bar_MB, { unit: "MB" }));
    measured.push(measurement(`${name}: time`, [wall_ms], bar_ms));
    if (lines.length > 1) say(`${name}: ${lines.length} lines`);
  }
  return measured;
};
