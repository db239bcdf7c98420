// Files that others may have written: pipes, devices and folders are refused without waiting, what is too large or too deep before it is
// read, and no error quotes them. Each command's reader of such a file goes this way.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { UserError } from "../../../cli/base/errors.ts";
import { mostFile_bytes, readForeignBytes, readForeignJson } from "../../../cli/base/foreign_file.ts";
import { checkout } from "../../../cli/base/programs.ts";
import { instrumentOf } from "../../../cli/instruments/all.ts";
import { readCommandPlan } from "../../../cli/instruments/command/plan/plan.ts";
import { readPrefixes } from "../../../cli/instruments/fetch/prefixes/read_prefixes.ts";
import { readLink } from "../../../cli/link/profile_file.ts";
import { spansIn } from "../../../cli/link/trace/formats.ts";
import { readDistributions } from "../../../cli/recording/corpus/distributions.ts";
import { readTrustedKeys } from "../../../cli/recording/record/words.ts";
import { readBudgets } from "../../../cli/results/gate/budget.ts";
import { readPlan } from "../../../cli/sweep/plan/plan.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-foreign-file-");

const pipe = join(folder, "pipe.json");
execFileSync("mkfifo", [pipe]);
const large = join(folder, "large.json");
writeFileSync(large, "[");
truncateSync(large, 1.1e9);
const deep = join(folder, "deep.json");
writeFileSync(deep, "[".repeat(200_000));
const secret = join(folder, "secret.json");
writeFileSync(secret, "root:s3cr3t-hash:19000:0:99999:7:::\n");
const inner = join(folder, "folder.json");
mkdirSync(inner);

/** What of a command reads a file that is named. */
const readers: Readonly<Record<string, (path: string) => unknown>> = {
  "a plan": (path) => readPlan(path),
  "a plan of commands": (path) => readCommandPlan(path),
  budgets: (path) => readBudgets(path),
  "a link": (path) => readLink(path, folder),
  "a trace as JSON": (path) => [...spansIn(path, "iperf3", undefined)],
  distributions: (path) => readDistributions(path),
  certificates: (path) => readTrustedKeys(path),
  prefixes: (path) => readPrefixes(path, null),
};

for (const [name, read] of Object.entries(readers))
  test(`${name}: no pipe is waited for, no device read, and no error quotes`, () => {
    // A line of prefixes that is wrong is shown: only who may read the file names one.
    for (const path of [pipe, "/dev/zero", inner, large, deep, ...(name === "prefixes" ? [] : [secret])])
      assert.throws(
        () => read(path),
        (error: Error & { readonly code?: string }) => {
          const isOfSystem = error.code === "EISDIR" && path === inner;
          assert.ok(isOfSystem || error instanceof UserError, `${path}: ${error.stack}`);
          assert.ok(!error.message.includes("\n") && !error.message.includes("s3cr3t"), error.message);
          return isOfSystem || error.message.includes(path);
        },
      );
  });

test("which kind of plan a file is does not wait, either", () => {
  for (const path of [pipe, "/dev/zero", large, deep]) assert.equal(instrumentOf(path).sweeps, "pages");
});

test("a file is read up to its limit, whatever its size is said to be", () => {
  const exact = join(folder, "exact.json");
  writeFileSync(exact, `"${"x".repeat(998)}"`);
  assert.equal(readForeignBytes(exact, 1000).length, 1000);
  assert.throws(() => readForeignBytes(exact, 999), /exact\.json: is larger than/);
  // /proc says 0 bytes of all its files.
  assert.throws(() => readForeignBytes("/proc/self/maps", 100), /maps: is larger than/);
  assert.equal(readForeignJson(exact), "x".repeat(998));
  assert.ok(mostFile_bytes.document < 1e8);
});

test("commands read no JSON of a named file in another way", () => {
  const others = globSync("**/*.ts", { cwd: join(checkout, "cli") }).filter((path) => {
    const text = readFileSync(join(checkout, "cli", path), "utf8");
    return /\bJSON\.parse\(/.test(text) && /\breadFile(?:Sync)?\(\s*(?:pathOrName|path|file)\b/.test(text);
  });
  // Their own schemas, and what Trilane itself wrote.
  assert.deepEqual(others.filter((path) => !path.startsWith("install/")).toSorted(), [
    "base/record_file.ts",
    "instruments/command/run/attempt.ts",
    "link/flows/transports.ts",
    "load/cross_traffic.ts",
    "sweep/cluster/submission.ts",
    "sweep/plan/plan_range.ts",
  ]);
});
