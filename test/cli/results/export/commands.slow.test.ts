// `trilane report` and `trilane export` as a shell meets them: exit status, standard output, one line of error.
// Wide: cli/commands/export.ts, cli/commands/report.ts, cli/results/export.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { output } from "../../../product.ts";
import { assertRefused } from "../../refusal.ts";
import { storeFixture, withHome } from "../../report/fixture.ts";
import { raceFixture } from "../../report/fixtures.ts";

function run(home: string, ...words: string[]) {
  const { status, stdout, stderr } = output(home, words, { cwd: home, env: { NO_COLOR: "1" } });
  return { status, out: stdout, err: stderr };
}

test("report writes the newest sweep's report and prints its path last; --json as a document", async () => {
  await withHome((home) => {
    const sweep = storeFixture(home, raceFixture);
    const plain = run(home, "report");
    assert.deepEqual([plain.status, plain.err], [0, ""]);
    const path = /^report: (.+)\n$/.exec(plain.out)?.[1] ?? "";
    assert.ok(path.startsWith(join(home, "reports")) && existsSync(path), plain.out);
    const json = run(home, "report", String(sweep), "--out", "mine.html", "--json");
    assert.deepEqual(JSON.parse(json.out), {
      schema: "trilane/file-written/1",
      kind: "report",
      sweep,
      loads: 17,
      path: join(home, "mine.html"),
    });
  });
});

test("export to standard output and to a file are the same", async () => {
  await withHome((home) => {
    storeFixture(home, raceFixture);
    for (const format of ["har", "csv", "json"]) {
      const direct = run(home, "export", "--format", format);
      assert.equal(direct.status, 0, direct.err);
      const written = run(home, "export", "--format", format, "--out", `loads.${format}`);
      assert.equal(written.status, 0, written.err);
      assert.equal(readFileSync(join(home, `loads.${format}`), "utf8"), direct.out);
    }
    const document: unknown = JSON.parse(run(home, "export", "--json").out);
    assert.ok(typeof document === "object" && document !== null && "schema" in document);
    assert.equal(document.schema, "trilane/export/1");
  });
});

test("what cannot be done is one line with the remedy and status 2, and nothing is written", async () => {
  await withHome(async (home) => {
    const empty = run(home, "report");
    assert.equal(empty.status, 2);
    assert.match(empty.err, /^trilane: no results in .*trilane race.*\n$/);
    assert.ok(!existsSync(join(home, "results.db")), "looking makes nothing");
    storeFixture(home, raceFixture);
    for (const [words, message] of [
      [["export"], /sweep \d+ has pages: --format must be one of har, csv, json, race/],
      [["export", join(home, "results.db")], /sweep \d+ of \/.*\/results\.db has pages: --format must be one of har/],
      [
        ["export", join(home, "results.db"), "--format", "csv", "--load", "999"],
        /no load 999 .*of \/.*\/results\.db: `trilane export \/.*\/results\.db --format csv` lists/,
      ],
      [["export", "--format", "pdf"], /got "pdf"/],
      [["export", "--format", "har", "--load", "999", "--out", join(home, "x.har")], /no load 999/],
      [["report", "99"], /no sweep 99/],
      [["report", "first"], /first: neither a sweep.s number nor a file of results/],
    ] as const)
      await assertRefused([...words, "--home", home], message);
    assert.ok(!existsSync(join(home, "x.har")));
  });
});

test("--help has examples and, for the CSV, every column", async () => {
  await withHome((home) => {
    const help = run(home, "export", "--help");
    assert.match(help.out, /Examples:/);
    for (const column of ["plt_ms", "off_lane", "recording_digest"]) assert.ok(help.out.includes(column));
    assert.match(run(home, "report", "--help").out, /trilane report 3 --methods/);
  });
});
