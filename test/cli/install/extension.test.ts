// The built extension is put in its place whole, also by several builds at once, and nothing is left beside it.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { thisProcess } from "../../../cli/base/process_owner.ts";
import { buildExtension } from "../../../cli/install/extension.ts";
import { checkExtension, filesOf } from "../../../cli/install/package_check.ts";
import { tempFolder } from "../../temp_folder.ts";

const scratch = tempFolder("trilane-extension-build-");

test("one that is the same stays, another is replaced with all that is in it; a killed build's work goes", async () => {
  const folder = join(scratch, "same");
  const out = join(folder, "extension");
  const killed = join(folder, `trilane-extension-${spawnSync("true").pid}-abc`);
  mkdirSync(killed, { recursive: true });
  writeFileSync(join(killed, ".trilane"), JSON.stringify({ ...thisProcess(), start_ticks: "1" }));
  await buildExtension({ out });
  const { ino } = statSync(out);
  await buildExtension({ out });
  assert.equal(statSync(out).ino, ino);
  const files = filesOf(out);
  writeFileSync(join(out, "left.js"), "");
  await buildExtension({ out });
  assert.deepEqual(filesOf(out), files);
  await buildExtension({ out, granted: ["nativeMessaging"] });
  assert.ok(checkExtension(out).some((line) => line.includes("nativeMessaging")));
  assert.deepEqual(readdirSync(folder), ["extension"]);
});

// Each of the processes builds another extension than the one beside it, so that each build replaces one.
test("several at once, in one process and in several, all end well and leave a whole one", async () => {
  const folder = join(scratch, "many");
  const out = join(folder, "extension");
  const build = JSON.stringify(join(import.meta.dirname, "..", "..", "..", "cli", "install", "extension.ts"));
  const text = (granted: string): string => `const { buildExtension } = await import(${build});
    for (let i = 0; i < 4; i++)
      await Promise.all([0, 1].map((one) => buildExtension({
        out: ${JSON.stringify(out)}, granted: one ? ["nativeMessaging", ${granted}] : [${granted}] })));`;
  const ended = ['"storage"', '"tabs"', '"history"'].map(async (granted) => {
    const words = ["--input-type=module", "--disable-warning=ExperimentalWarning", "-e", text(granted)];
    const child = spawn(process.execPath, words, { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.on("data", (part: Buffer) => (said += part.toString()));
    const [status] = (await once(child, "close")) as [number | null];
    return status === 0 ? "" : said;
  });
  assert.deepEqual(await Promise.all(ended), ["", "", ""]);
  assert.deepEqual(readdirSync(folder), ["extension"]);
  await buildExtension({ out: join(scratch, "alone") });
  assert.deepEqual(filesOf(out), filesOf(join(scratch, "alone")));
  JSON.parse(readFileSync(join(out, "manifest.json"), "utf8"));
});
