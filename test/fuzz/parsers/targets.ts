// The parsers in TypeScript that meet strangers' bytes, a row each: what is given any bytes, and parses or refuses them in words. What a
// parser promises beyond that is asserted here. Their inputs lie in test/fuzz/corpus, by these names.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMainThread, workerData } from "node:worker_threads";
import { zstdCompressSync } from "node:zlib";
import { boundedJson } from "../../../cli/base/bounded_json.ts";
import { UserError } from "../../../cli/base/errors.ts";
import { tarEnd, tarHeader, tarPadding } from "../../../cli/base/tar.ts";
import { namedObjects } from "../../../cli/instruments/fetch/plan/objects.ts";
import { readPrefixes } from "../../../cli/instruments/fetch/prefixes/read_prefixes.ts";
import { formatFlow } from "../../../cli/link/flows/flow_words.ts";
import { readMix } from "../../../cli/link/flows/mix.ts";
import { detectFormat, spansIn } from "../../../cli/link/trace/formats.ts";
import { importFormats } from "../../../cli/recording/import/formats.ts";
import { readPage } from "../../../cli/recording/import/import_file.ts";
import { storeWire } from "../../../cli/recording/import/import_wire.ts";
import type { WireRecording } from "../../../cli/recording/import/wire_exchange.ts";
import { readNetLog } from "../../../cli/recording/record/net_log.ts";
import { readBudgets } from "../../../cli/results/gate/budget.ts";
import { openResultsFile } from "../../../cli/results/store/results.ts";
import { readBundle } from "../../../cli/sweep/bundle/read_bundle.ts";
import { expandPages } from "../../../cli/sweep/plan/page_patterns.ts";
import { cellsOf, planOf } from "../../../cli/sweep/plan/plan.ts";
import { MemoryArchive } from "../../cli/recording/import/wire_archive.ts";
import { schemaErrors } from "../../schemas/schema_errors.ts";
import type { Parser } from "./guided.ts";

/** A thread's is in its process's, which removes them all: a thread that hangs is ended from outside. */
export const folder = mkdtempSync(join(workerData?.parentFolder ?? tmpdir(), "trilane-fuzz-"));
if (isMainThread) process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** `parse` given a file of that name with these bytes. */
function inFile(name: string, parse: (path: string) => unknown): Parser {
  const path = join(folder, name);
  return (input) => {
    writeFileSync(path, input);
    return parse(path);
  };
}

const take = async <Value>(values: AsyncIterable<Value> | Iterable<Value>, most: number): Promise<void> => {
  let left = most;
  for await (const _ of values) if (--left <= 0) return;
};

/** What `import` stores of a recording of the wire. */
const stored = async (wire: WireRecording): Promise<void> => {
  const archive = new MemoryArchive();
  await storeWire(archive, wire, { name: "fuzz", replace: false, url: undefined, document: undefined });
};

const member = (name: string, bytes: Buffer): Buffer[] => [
  tarHeader(name, bytes.length),
  bytes,
  tarPadding(bytes.length),
];

const bundle = inFile("fuzz.tar.zst", (path) => {
  const unpacked = join(folder, "unpacked");
  rmSync(unpacked, { recursive: true, force: true });
  mkdirSync(unpacked);
  return readBundle(path, { folder: unpacked, isWanted: () => true });
});

/** JSON, or nothing that a parser of documents is given. */
const document = (input: Buffer): unknown => {
  try {
    return boundedJson(input);
  } catch {
    throw new UserError("no JSON");
  }
};

export const targets: Readonly<Record<string, Parser>> = {
  budget: inFile("budgets.json", (path) => readBudgets(path)),
  // The tar in its wrapping, which hides it from changes.
  bundle: (input) => bundle(zstdCompressSync(input, { params: {} })),
  flow: (input) => {
    const flows = readMix([input.toString("utf8")], null);
    const words = flows.slice(0, 20).map((flow) => formatFlow(flow));
    assert.deepEqual(
      readMix(words, null).map((flow) => formatFlow(flow)),
      words,
    );
  },
  har: inFile("fuzz.har", async (path) => {
    const { exchanges } = await readPage(path);
    for (const { exchange, body } of exchanges) {
      assert.equal(schemaErrors("message", exchange, "exchange"), null);
      assert.equal(exchange.body_origin === "empty", (body?.byteLength ?? 0) === 0);
    }
  }),
  mahimahi: (() => {
    mkdirSync(join(folder, "mahimahi"));
    return inFile("mahimahi/save.fuzz", () => importFormats.mahimahi.read?.(join(folder, "mahimahi"), stored));
  })(),
  // With results that are what it says, or are not: members are its own.
  manifest: (input) => {
    const results = Buffer.from("results");
    const sha256 = createHash("sha256").update(results).digest("hex");
    const text = Buffer.from(input.toString("latin1").replace("SHA256", sha256), "latin1");
    const members = [...member("README.md", Buffer.from("x")), ...member("manifest.json", text)];
    return bundle(zstdCompressSync(Buffer.concat([...members, ...member("results.db", results), tarEnd()])));
  },
  net_log: inFile("net_log.json", (path) => readNetLog(path)),
  objects: inFile("objects.txt", (path) => namedObjects([path])),
  pages: (input) => expandPages(input.toString("utf8").split("\n").slice(0, 20), 1000),
  plan: (input) => {
    const plan = planOf(document(input), "plan.json", folder);
    if (plan.pages.length * plan.links.length < 1000) cellsOf(plan);
  },
  prefixes: inFile("prefixes.txt", (path) => readPrefixes(path, null, 10_000)),
  results: inFile("results.db", (path) => {
    using results = openResultsFile(path);
    for (const { id } of results.listSweeps()) {
      results.cellsOf(id);
      for (const load of results.loadsOf(id)) results.harOf(load.id);
    }
  }),
  trace_table: inFile("trace.csv", (path) => {
    const format = detectFormat(path);
    return format === "mahimahi" ? null : take(spansIn(path, format, undefined), 10_000);
  }),
  wpr: inFile("fuzz.wprgo", (path) => importFormats.wpr.read?.(path, stored)),
};
