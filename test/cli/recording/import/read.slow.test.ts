// cli/recording/import/read.ts: what is larger than a HAR may be is refused in one line, before memory is full.
// Wide: cli/recording/import/read.ts.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { UserError } from "../../../../cli/base/errors.ts";
import { readHar } from "../../../../cli/recording/import/read.ts";
import { tempFolder } from "../../../temp_folder.ts";

const folder = tempFolder("trilane-read-");

const tooLarge = (error: unknown): boolean => error instanceof UserError && /larger than [\d.]+ MB/.test(error.message);

test("a file within the limit is read, one byte more is refused, plain and zipped", async () => {
  const path = join(folder, "small");
  for (const content of [Buffer.from('{"a":"b"}'), gzipSync('{"a":"b"}')]) {
    writeFileSync(path, content);
    const size_bytes = Math.max(9, content.length);
    assert.deepEqual(await readHar(path, size_bytes), { a: "b" });
    await assert.rejects(readHar(path, content.length === 9 ? 8 : 10), tooLarge);
  }
});

test("a plain file of 3 GB is refused unread", async () => {
  const path = join(folder, "plain.har");
  writeFileSync(path, "");
  truncateSync(path, 3e9);
  await assert.rejects(readHar(path), tooLarge);
});

test("a small file that unzips to gigabytes is refused when it has given the limit", async () => {
  const path = join(folder, "bomb.har.gz");
  // 320 members of 16 MiB, 5.4 GB in all.
  const member = gzipSync(Buffer.alloc(1 << 24, " "));
  writeFileSync(path, Buffer.concat(Array.from({ length: 320 }, () => member)));
  const before_kB = process.resourceUsage().maxRSS;
  await assert.rejects(readHar(path), /unpacks to more than 50 times its size/);
  const grown_kB = process.resourceUsage().maxRSS - before_kB;
  assert.ok(grown_kB < 1.2e6, `${grown_kB} kB`);
});

test("a stream without end is refused when it has given the limit", () => {
  const trilane = join(import.meta.dirname, "..", "..", "..", "..", "cli", "trilane");
  const command = `"$0" import - --name endless --home "$1" < /dev/zero`;
  const { status, stderr } = spawnSync("bash", ["-c", command, trilane, join(folder, "home")], { encoding: "utf8" });
  assert.equal(status, 2, stderr);
  assert.match(stderr, /^trilane: standard input: larger than 500 MB[^\n]*\n$/);
});
