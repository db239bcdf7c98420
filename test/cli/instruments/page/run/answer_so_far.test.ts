// cli/instruments/page/run/answer_so_far.ts: a first word after three runs of each lane, better ones later, none twice, and hardly any of the time.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { afterEach, beforeEach, describe, test } from "node:test";
import { LooksSoFar } from "../../../../../cli/instruments/page/run/answer_so_far.ts";
import { openResults, type Results, type Sweep } from "../../../../../cli/results/store/results.ts";
import type { LoadFinished } from "../../../../../schemas/generated/sweep_event.ts";
import { tempFolder } from "../../../../temp_folder.ts";
import { pageLoad } from "../../../sweep/page_load.ts";
import { fastPlan, sweepOf } from "./fast_runner.ts";

const plts_ms = { h1: 900, h2: 700, h3: 500 } as const;
let home = "";
let results: Results;
let sweep: Sweep;

beforeEach(() => {
  home = tempFolder("trilane-so-far-");
  results = openResults(home);
  ({ sweep } = results.beginSweep(sweepOf(fastPlan({ repetitions: 9 })), false));
});
afterEach(() => {
  results.close();
  rmSync(home, { recursive: true });
});

let loads = 0;

/** Stores one load of the first page on the first link, and tells it. */
function ended(lane: keyof typeof plts_ms, block: number, done = 1): LoadFinished {
  const { page, link, link_profile, id } =
    results.cellsOf(sweep.id).find((cell) => cell.lane === lane) ?? assert.fail();
  const plt_ms = plts_ms[lane] + block;
  const load = pageLoad({ page, lane, link: link_profile, recording_digest: "d", wall_ms: 5, plt_ms });
  const place = { block, attempt: 0, position: loads++ };
  const number = results.recordLoad({ cell: id, ...place, started_at: "2026-01-01T00:00:00Z", load });
  return {
    ...{ event: "load-finished", ...place, page, link, lane, load: number, status: "valid", reasons: [], plt_ms },
    ...{ wall_ms: 5, done, loads: 100, left_s: 9 },
  } as LoadFinished;
}

function said(looks: LooksSoFar, blocks: number, from = 0): (string | null)[] {
  return Array.from({ length: blocks }, (_, block) => block + from).flatMap((block) =>
    (["h1", "h2", "h3"] as const).map((lane) => looks.after(ended(lane, block))?.sentence ?? null),
  );
}

describe("answers so far", () => {
  test("after three blocks, when a block ends, and with an interval from five on", () => {
    const looks = new LooksSoFar({ results, sweep, now_ms: () => loads * 1e6 });
    const sentences = said(looks, 6);
    assert.ok(sentences.slice(0, 8).every((sentence) => sentence === null));
    assert.match(
      sentences[8] ?? "",
      /^No verdict yet on a \(.*\): 3 of at least 5 runs per lane\. \(So far HTTP\/3 is 200 ms ahead of HTTP\/2\.\)$/,
    );
    assert.equal(sentences[9], null);
    assert.match(sentences[14] ?? "", /^HTTP\/3 saves 200 ms .* 95 % CI/);
    assert.equal(looks.after(ended("h1", 6, 100)), null, "the last one is the answer's to say");
  });

  test("a resumed sweep counts what it has; no sentence twice; no look while looks have had their share", () => {
    said(new LooksSoFar({ results, sweep, now_ms: () => 0 }), 5);
    let now_ms = 0;
    const looks = new LooksSoFar({ results, sweep, now_ms: () => (now_ms += 10) });
    const [, , sixth] = said(looks, 1, 5);
    assert.match(sixth ?? "", /^HTTP\/3 saves /);
    // The look took 10 ms: the next one is due half a second later.
    assert.deepEqual(said(looks, 1, 6), [null, null, null]);
    now_ms += 1000;
    assert.equal(looks.after(ended("h1", 7)), null);
  });
});
