// The browser's binary by its hash: the same as another program tells, and another one once the file was replaced.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { binaryDigest, versionInWords } from "../../../cli/browser/browser_binary.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-binary-");
const path = join(folder, "browser");
const sha256sum = (): string => execFileSync("sha256sum", [path], { encoding: "utf8" }).slice(0, 64);

test("it is what sha256sum says, also after an update in mid-sweep of the same size", async () => {
  writeFileSync(path, "one build");
  const before = await binaryDigest(path);
  assert.equal(before, sha256sum());
  assert.equal(await binaryDigest(path), before);
  // As package managers do it.
  writeFileSync(`${path}.new`, "two build");
  renameSync(`${path}.new`, path);
  const updated = await binaryDigest(path);
  assert.equal(updated, sha256sum());
  assert.notEqual(updated, before);
});

test("a script that starts a browser says nothing of it", async () => {
  const script = join(folder, "script");
  writeFileSync(script, "#!/bin/sh\nexec browser\n");
  assert.equal(await binaryDigest(script), null);
  writeFileSync(join(folder, "empty"), "");
  assert.match((await binaryDigest(join(folder, "empty"))) ?? "", /^[0-9a-f]{64}$/);
});

test("a file that is not there is an error each time, not a memory", async () => {
  await assert.rejects(binaryDigest(join(folder, "none")), { code: "ENOENT" });
});

test("a headless shell is named beside its version", () => {
  assert.equal(versionInWords("156.0", "/usr/lib/chromium/chromium-headless-shell"), "156.0 headless shell");
  assert.equal(versionInWords("156.0", "/opt/chrome-headless-shell"), "156.0 headless shell");
  assert.equal(versionInWords("156.0", "/usr/lib/chromium/chromium"), "156.0");
  assert.equal(versionInWords("", "/opt/chrome-headless-shell"), "", "one that never began has no version");
});
