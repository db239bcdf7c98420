// cli/instruments/page/run/films.ts: each cell is filmed once after its loads, apart from them, whatever is stopped or fails.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, test } from "node:test";
import { type FilmLoad, unfilmedCells } from "../../../../../cli/instruments/page/run/films.ts";
import type { LoadRequest } from "../../../../../cli/instruments/page/run/request.ts";
import { openResults, type Results } from "../../../../../cli/results/store/results.ts";
import type { SweepEvent } from "../../../../../schemas/generated/sweep_event.ts";
import { tempFolder } from "../../../../temp_folder.ts";
import { pageLoad } from "../../../sweep/page_load.ts";
import { fastPlan, fastRun, validLoad } from "./fast_runner.ts";

const plan = fastPlan({ pages: ["a"], links: ["1mbit/20ms"], repetitions: 2 });
const frames = [
  { time_ms: 0, jpeg: Uint8Array.of(0xff, 0xd8, 0) },
  { time_ms: 120, jpeg: Uint8Array.of(0xff, 0xd8, 1) },
];
const visual = {
  speed_index_ms: 80,
  visually_complete_85_ms: 100,
  visually_complete_95_ms: 110,
  visually_complete_100_ms: 120,
};
const filmed: FilmLoad = async (request) => ({ load: await validLoad(request), frames, visual });

describe("films", () => {
  let home: string;
  beforeEach(() => {
    home = tempFolder("trilane-films-");
  });

  function withResults<T>(work: (results: Results) => T): T {
    using results = openResults(home);
    return work(results);
  }

  test("every cell is filmed once, after all loads, with the losses of one block, and no film is a load", async () => {
    const events: SweepEvent[] = [];
    const seeds: number[] = [];
    const outcome = await fastRun({
      home,
      plan,
      measure: validLoad,
      film: (request) => {
        seeds.push(request.link.seed);
        return filmed(request);
      },
      tell: (event) => events.push(event),
    });
    assert.equal(outcome.state, "finished");
    const order = events.map(({ event }) => event).filter((event) => event.endsWith("-finished"));
    assert.deepEqual(order, [...Array(6).fill("load-finished"), ...Array(3).fill("film-finished")]);
    const last = events.at(-1);
    assert.ok(last?.event === "film-finished" && last.left_s === 0 && last.filmed === 3 && last.frames === 2);
    const before = events.findLast((event) => event.event === "load-finished");
    assert.ok(before?.event === "load-finished" && before.left_s > 0, "the films are in the time left");
    assert.equal(new Set(seeds).size, 1);
    withResults((results) => {
      assert.equal(results.loadsOf(1).length, 6);
      const films = results.filmsOf(1);
      assert.deepEqual(
        films.map(({ cell }) => cell),
        results.cellsOf(1).map(({ id }) => id),
      );
      assert.deepEqual(
        films[0]?.frames.map(({ time_ms, jpeg }) => [time_ms, ...jpeg]),
        [
          [0, 0xff, 0xd8, 0],
          [120, 0xff, 0xd8, 1],
        ],
      );
    });
    using results = openResults(home);
    await results.removeSweeps([1]);
    assert.deepEqual(results.filmsOf(1), [], "a sweep takes its films along");
  });

  test("filmed several times: all cells once, then again, with other losses; asked for more, only the rest is filmed", async () => {
    const lanes: string[] = [];
    const seeds = new Set<number>();
    const film: FilmLoad = (request) => {
      lanes.push(request.lane);
      seeds.add(request.link.seed);
      return filmed(request);
    };
    await fastRun({ home, plan: { ...plan, films: 2 }, measure: validLoad, film });
    assert.deepEqual(lanes, ["h1", "h2", "h3", "h1", "h2", "h3"]);
    assert.equal(seeds.size, 2);
    withResults((results) => {
      assert.deepEqual([...results.filmedCellsOf(1).values()], [2, 2, 2]);
      assert.equal(results.filmsOf(1).length, 3, "one film of each is shown");
      assert.deepEqual(
        results.filmedLoadsOf(1).map(({ number, speed_index_ms }) => [number, speed_index_ms]),
        [0, 1, 0, 1, 0, 1].map((number) => [number, 80]),
      );
      const database = new DatabaseSync(join(home, "results.db"));
      database.exec("DELETE FROM attempt WHERE filmed AND block > 0");
      database.close();
      assert.deepEqual(
        unfilmedCells(results, results.sweep(1), 2).map(({ lane }) => lane),
        ["h1", "h2", "h3"],
      );
      assert.deepEqual(unfilmedCells(results, results.sweep(1), 1), []);
    });
  });

  test("stopped while filming, the sweep is unfinished, and goes on with the films that are missing", async () => {
    const stop = new AbortController();
    const lanes: string[] = [];
    const outcome = await fastRun({
      home,
      plan,
      measure: validLoad,
      film: async (request: LoadRequest) => {
        lanes.push(request.lane);
        if (lanes.length === 2) stop.abort();
        return filmed(request);
      },
      signal: stop.signal,
    });
    assert.equal(outcome.state, "stopped");
    withResults((results) => assert.equal(results.sweep(1).finished_at, null));
    const again: string[] = [];
    await fastRun({
      home,
      plan,
      measure: () => assert.fail("all loads are there"),
      film: (request) => {
        again.push(request.lane);
        return filmed(request);
      },
    });
    assert.deepEqual(
      [lanes, again],
      [
        ["h1", "h2"],
        ["h2", "h3"],
      ],
    );
    withResults((results) => {
      assert.notEqual(results.sweep(1).finished_at, null);
      assert.equal(results.filmsOf(1).length, 3);
    });
  });

  test("a film that is not valid is tried again to the limit, is stored without frames, and is not shown", async () => {
    const attempts = new Map<string, number>();
    const events: SweepEvent[] = [];
    await fastRun({
      home,
      plan,
      measure: validLoad,
      film: async ({ lane, link, recording }) => {
        const attempt = (attempts.get(lane) ?? 0) + 1;
        attempts.set(lane, attempt);
        const status = lane === "h1" || (lane === "h2" && attempt === 1) ? "invalid" : "valid";
        const reasons = status === "valid" ? [] : ["the CPU was starved"];
        return {
          load: pageLoad({
            page: recording.name,
            recording_digest: recording.digest,
            lane,
            link,
            status,
            reasons,
            wall_ms: 5,
          }),
          frames,
          visual,
        };
      },
      tell: (event) => events.push(event),
    });
    assert.deepEqual(Object.fromEntries(attempts), { h1: plan.retries + 1, h2: 2, h3: 1 });
    withResults((results) => {
      const shown = results.filmsOf(1).map(({ cell }) => results.cellsOf(1).find(({ id }) => id === cell)?.lane);
      assert.deepEqual(shown, ["h2", "h3"]);
      assert.equal(results.filmedCellsOf(1).size, 3);
      assert.deepEqual(
        results.filmedLoadsOf(1).map(({ status, speed_index_ms, plt_ms }) => [status, speed_index_ms, plt_ms]),
        [
          ["invalid", null, 700],
          ["valid", 80, 700],
          ["valid", 80, 700],
        ],
      );
    });
    const failed = events.find((event) => event.event === "film-finished" && event.status === "invalid");
    assert.ok(failed?.event === "film-finished" && failed.frames === 0 && failed.reasons[0] === "the CPU was starved");
  });

  test("a link that is not what was asked is not filmed", async () => {
    await fastRun({
      home,
      plan: fastPlan({ pages: ["a"], links: ["1mbit/20ms"], repetitions: 1, lanes: ["h1"] }),
      measure: validLoad,
      linkFault: async () => "the link missed its tolerance",
      film: () => assert.fail("filmed"),
    });
    withResults((results) => assert.deepEqual([results.filmsOf(1).length, results.filmedCellsOf(1).size], [0, 1]));
  });
});
