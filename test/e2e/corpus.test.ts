// Pages of a corpus in a browser: each load asks for every request of the recording, gets just the recorded response, and asks
// for nothing beyond, on each lane, of pages by http and by https.
// Wide: cli/recording/corpus, cli/recording/synth, native-host/archive, native-host/replay.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { plainLanes } from "../../cli/base/lanes.ts";
import { parseLink } from "../../cli/link/link.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { dasCorpus, pageNamesOf } from "../../cli/recording/corpus/corpus.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import { tempFolder } from "../temp_folder.ts";
import { untimedLoad } from "./untimed_load.ts";

const home = tempFolder("trilane-e2e-corpus-");

const corpus = dasCorpus("das-2014-30-seed-1");
assert.ok(corpus);
const pages = corpus.shapes
  .map((shape, place) => ({ shape, name: pageNamesOf(corpus)[place] ?? "" }))
  .filter(({ shape: { objects, total_bytes } }) => objects >= 40 && total_bytes < 2e6);
const chosen = [
  ...pages.filter(({ shape }) => shape.isHttps).slice(0, 1),
  ...pages.filter(({ shape }) => !shape.isHttps && shape.httpsServers > 1).slice(0, 2),
];

test("the corpus has pages of either kind to try", () => assert.equal(chosen.length, 3));

for (const { name, shape } of chosen)
  test(`${name}: ${shape.objects} objects on ${shape.servers} servers, all asked for, and nothing else`, async () => {
    const recording = await withArchive(home, (archive) => ensureSynth(archive, name));
    assert.equal(recording.url.startsWith("https:"), shape.isHttps);
    const link = parseLink("unlimited");
    for (const lane of plainLanes) {
      const { log } = await untimedLoad({ home, recording, lane, link, timeout_ms: 60_000, strict: true });
      const { status, reasons, coverage, counts } = log._trilane;
      assert.deepEqual([status, reasons], ["valid", []], lane);
      assert.equal(coverage?.recorded.requests, shape.objects, lane);
      assert.deepEqual(coverage?.asked, coverage?.recorded, lane);
      assert.deepEqual(coverage?.beyond, { reports: 0, other: 0, failed: 0 }, lane);
      assert.deepEqual([counts.matched, counts.fuzzy, counts.missed], [shape.objects, 0, 0], lane);
      assert.equal(new Set(log.entries.map((entry) => entry.serverIPAddress)).size, shape.servers, lane);
    }
  });
