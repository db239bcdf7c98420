// A page is not recorded where its log has no room. In a small file system in namespaces that end with the script.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "../../../temp_folder.ts";

const module = join(import.meta.dirname, "..", "..", "..", "..", "cli", "recording", "record", "record_page.ts");
// Refused before a browser is started: any program can stand for one.
const script = `
process.env.TRILANE_CHROMIUM = process.execPath;
const { recordPage } = await import(${JSON.stringify(module)});
const options = { url: "https://page.test/", lane: "any", scroll: false, quiet_ms: 1, timeout_ms: 1000, trustedKeys: [], addresses: [], within: [] };
await recordPage(options, async () => console.log("recorded")).catch((error) => console.log(String(error)));
`;

test("without room in TMPDIR recording is refused in one line", () => {
  const folder = tempFolder("trilane-record-full-");
  const mount = 'mount -t tmpfs -o size=600k none "$0" && exec "$@"';
  const words = ["--user", "--map-root-user", "--mount", "sh", "-c", mount, folder];
  const ran = spawnSync("unshare", [...words, process.execPath, "--input-type=module", "-e", script], {
    env: { ...process.env, TMPDIR: folder },
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.equal(ran.status, 0, ran.stderr);
  assert.equal(ran.stdout, `RunError: ${folder}: less than 1 MB left: free some, or name another folder in TMPDIR\n`);
});
