// A browser is asked for its version once, and again after it was updated or when it gave no answer.
import assert from "node:assert/strict";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { userAgent, userAgentOf } from "../../../cli/browser/browser_binary.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-user-agent-");
const path = join(folder, "browser");

/** As package managers do it. */
function install(script: string): void {
  writeFileSync(`${path}.new`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  renameSync(`${path}.new`, path);
}

test("an answer is remembered until the browser is another, and no answer or that of a browser too old is not", async () => {
  // It tells a version only while nobody has taken it away: the second question would fail.
  const version = join(folder, "version");
  writeFileSync(version, "Chromium 140.0.7339.80\n");
  install(`cat '${version}'`);
  assert.equal(await userAgentOf(path), userAgent("140"));
  rmSync(version);
  assert.equal(await userAgentOf(path), userAgent("140"));
  install(`cat '${version}' # updated`);
  await assert.rejects(userAgentOf(path), /browser prints no version: name Chromium's binary/);
  writeFileSync(version, "Chromium 90.0.4430.212\n");
  await assert.rejects(userAgentOf(path), /browser is version 90, and loads need Chromium 112 or newer: update it/);
  writeFileSync(version, "Chromium 141.0.7390.54\n");
  assert.equal(await userAgentOf(path), userAgent("141"));
});
