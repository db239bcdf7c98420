// Films in the report and in the race's document: of valid loads, beside their lanes; without films neither has any.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gatherReport } from "../../../cli/report/data.ts";
import { raceResult } from "../../../cli/report/race_result.ts";
import { buildReport } from "../../../cli/report/report.ts";
import { csvLines } from "../../../cli/results/export/csv.ts";
import { exportDocument } from "../../../cli/results/export/json.ts";
import { openResults } from "../../../cli/results/store/results.ts";
import { storeFixture, withHome } from "./fixture.ts";
import { raceFixture } from "./fixtures.ts";
import { withPlainSpaces } from "./written_report.ts";

test("films are shown in the report and handed on in the race's document", async () => {
  await withHome(async (home) => {
    const id = storeFixture(home, raceFixture);
    using results = openResults(home);
    assert.ok(!buildReport(gatherReport(results, id, "0")).includes('class="filmstrip"'));
    const [h1, h2] = results.cellsOf(id);
    assert.ok(h1 && h2);
    const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xd9);
    const film = {
      reasons: [],
      plt_ms: 1700,
      frames: [
        { time_ms: 0, jpeg },
        { time_ms: 900.5, jpeg },
      ],
    };
    const visual = {
      speed_index_ms: 812,
      visually_complete_85_ms: 900,
      visually_complete_95_ms: 900,
      visually_complete_100_ms: 900,
    };
    results.recordFilm({ cell: h1.id, status: "valid", visual, ...film });
    results.recordFilm({
      cell: h2.id,
      status: "failed",
      visual: null,
      ...film,
      frames: [],
      reasons: ["the browser crashed"],
    });
    const report = withPlainSpaces(buildReport(gatherReport(results, id, "0")));
    assert.equal(report.match(/class="filmstrip"/g)?.length, 1);
    assert.ok(report.includes(`data:image/jpeg;base64,${Buffer.from(jpeg).toString("base64")}`));
    assert.match(report, /What the page showed over h1 at the same instants/);
    assert.match(report, /of 1 further load that was filmed, .*\(h1 n 1, h2 n 0, h3 n 0\)/);
    assert.match(report, /Speed Index<\/th><td class="num">812 ms<\/td><td class="num">–<\/td>/);
    const { filmed_loads } = exportDocument(results.sweep(id), results.cellsOf(id), [], [], results.filmedLoadsOf(id));
    assert.deepEqual(
      filmed_loads?.map(({ cell, number, status, speed_index_ms }) => [cell, number, status, speed_index_ms]),
      [
        [h1.id, 0, "valid", 812],
        [h2.id, 0, "failed", null],
      ],
    );
    const [head = [], ...rows] = [...csvLines({}, results.cellsOf(id), [], results.filmedLoadsOf(id))].map((line) =>
      line.trimEnd().split(","),
    );
    assert.deepEqual(
      rows.map((row) =>
        ["load_id", "lane", "rtt_ms", "status", "averaged", "filmed", "plt_ms", "speed_index_ms", "tls"].map(
          (name) => row[head.indexOf(name)],
        ),
      ),
      [
        ["", "h1", "50", "valid", "false", "true", "1700", "812", "both"],
        ["", "h2", "50", "failed", "false", "true", "1700", "", "both"],
      ],
    );
    assert.match(report, /17 loads and 2 filmed loads, one row each/);
    const race = raceResult(results, home, results.sweep(id));
    assert.deepEqual(
      race.lanes.map(({ lane, filmstrip, filmed_plt_ms }) => [lane, filmstrip?.length ?? null, filmed_plt_ms]),
      [
        ["h1", 2, 1700],
        ["h2", null, null],
        ["h3", null, null],
      ],
    );
    assert.deepEqual(race.lanes[0]?.filmstrip?.[1], { time_ms: 900.5, jpeg: "/9j/2Q==" });
  });
});
