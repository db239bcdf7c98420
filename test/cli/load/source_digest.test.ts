// The digest of the sources, where a program may open only a few files at a time.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "../../../cli/base/programs.ts";
import { sourceDigest } from "../../../cli/load/program_digests.ts";

test("128 open files are enough", () => {
  const module = JSON.stringify(join(checkout, "cli", "load", "program_digests.ts"));
  const script = `import { sourceDigest } from ${module}; console.log(sourceDigest());`;
  const words = ["-c", 'ulimit -n 128 && exec "$0" --input-type=module --eval "$1"', process.execPath, script];
  const { stdout, stderr } = spawnSync("bash", words, { encoding: "utf8" });
  assert.equal(stdout.trim(), sourceDigest(), stderr);
});
