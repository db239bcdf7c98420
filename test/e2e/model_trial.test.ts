// A load of a model asks for all of the model's requests: of each HAR among the fixtures, and of pages whose requests are all left to the page's
// own script, as what a load missed is. Through the real lab and the real browser.
// Wide: cli/recording/model, native-host/archive, native-host/replay.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { requestKey } from "../../cli/recording/archive/recorded_requests.ts";
import { importAny } from "../../cli/recording/import/import_any.ts";
import { modelRecording } from "../../cli/recording/model/model_recording.ts";
import { openResults } from "../../cli/results/store/results.ts";
import { modelFinding } from "../../cli/sweep/plan/model_trial.ts";
import { tempFolder } from "../temp_folder.ts";
import { recordSite } from "./site.ts";

const home = tempFolder("trilane-model-trial-");

const fixtures = fileURLToPath(new URL("../fixtures/har", import.meta.url));
const whole = { missed: [], reason: null };

async function tried(name: string, direct?: ReadonlySet<string>) {
  const asked = { name, compute: "none", replace: true, ...(direct ? { direct } : {}) } as const;
  const { recording } = await withArchive(home, (archive) => modelRecording(archive, asked));
  const finding = await modelFinding(home, recording, { timeout_ms: 60_000 });
  const results = openResults(home);
  // Only of one that asked for all: a load that failed shows nothing.
  assert.equal(results.trialOf(recording.digest) !== null, finding.missed.length === 0, "the load came to its end");
  results.close();
  return finding;
}

for (const file of readdirSync(fixtures).filter((name) => name.endsWith(".har"))) {
  test(`a model of ${file} asks for all its requests`, { timeout: 90_000 }, async () => {
    const imported = await withArchive(home, (archive) =>
      importAny(archive, { file: join(fixtures, file), replace: true }),
    );
    assert.deepEqual(await tried(imported.recording.name), whole);
  });
}

test("what is left to the page's own script is asked for, whatever it is", { timeout: 90_000 }, async () => {
  const site = "https://page.test/";
  const kind = (resource_type: string, start_offset_ms: number) => ({ recorded: { resource_type, start_offset_ms } });
  await recordSite(home, "direct", [
    { url: site, body: `<!doctype html><title>page</title>${"<p>text".repeat(600)}`, ...kind("document", 0) },
    { url: `${site}a.js`, type: "text/javascript", body: "1;".repeat(900), ...kind("script", 10) },
    { url: `${site}a.css`, type: "text/css", body: "p{color:#111}".repeat(90), ...kind("stylesheet", 12) },
    { url: "https://other.test/a.png", type: "image/png", body: "x".repeat(900), ...kind("image", 15) },
    { url: "https://fonts.test/a.woff2", type: "font/woff2", body: "x".repeat(900), ...kind("font", 20) },
    { url: "https://frame.test/", body: `<!doctype html>${"<p>frame".repeat(90)}`, ...kind("document", 25) },
    { url: "https://frame.test/in.js", type: "text/javascript", body: "1;".repeat(900), ...kind("script", 30) },
    { url: `${site}moved`, status: 302, headers: [["location", "https://other.test/there.png"]], ...kind("image", 35) },
    { url: "https://other.test/there.png", type: "image/png", body: "x".repeat(900), ...kind("image", 40) },
    { url: "https://api.test/data", type: "application/json", body: "{}", ...kind("fetch", 45) },
  ]);
  const { exchanges } = await withArchive(home, (archive) => archive.show("direct"));
  const keys = exchanges.slice(1).map(({ method, host, path }) => requestKey(method, `https://${host}${path}`));
  assert.deepEqual(await tried("direct", new Set(keys)), whole);
});
