// prebuilt.sh: programs of a package stand in for a build only if they are of this checkout's sources and run here.
// Wide: cli/base/built_from.ts, cli/install/prebuilt.sh.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sourcesDigest } from "../../../cli/base/built_from.ts";
import { checkout } from "../../../cli/base/programs.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-prebuilt-");

function found(builtFrom: string, shaper: string): string {
  mkdirSync(join(folder, "shaper"), { recursive: true });
  writeFileSync(join(folder, "built-from"), `${builtFrom}\n`);
  writeFileSync(join(folder, "shaper", "trilane-shaper"), shaper, { mode: 0o755 });
  // No other package of this machine's is looked at.
  const env = { ...process.env, TRILANE_PROGRAMS: folder, npm_config_prefix: folder };
  return spawnSync("bash", [join(checkout, "cli", "install", "prebuilt.sh")], { env, encoding: "utf8" }).stdout;
}

test("programs of the same sources are found; of others, or of another machine, they are not", () => {
  const runs = "#!/bin/sh\n";
  assert.equal(found(sourcesDigest(checkout), runs), `${folder}\n`);
  assert.equal(found("0".repeat(64), runs), "");
  assert.equal(found(sourcesDigest(checkout), "#!/bin/sh\nexit 1\n"), "");
});
