// The exports, each held to a judge of its own: HAR to the public HAR 1.2 schema, JSON and `_trilane` to ours, CSV to a
// reader written from RFC 4180.
// Wide: cli/results/export.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { median as medianOf } from "../../../../cli/base/quantile.ts";
import { chooseLoads, chooseSweep, readNumber, resultsOf } from "../../../../cli/results/export/choose.ts";
import { columns, csvLines } from "../../../../cli/results/export/csv.ts";
import { harPieces } from "../../../../cli/results/export/har.ts";
import { exportDocument } from "../../../../cli/results/export/json.ts";
import { filmMetrics } from "../../../../cli/results/export/metric_words.ts";
import { openResults, type Results } from "../../../../cli/results/store/results.ts";
import { summarize } from "../../../../cli/results/verdict/summary.ts";
import { csvField } from "../../../../extension/har/csv_field.ts";
import { strictUrl } from "../../../../extension/har/reader_fields.ts";
import { schemaErrors } from "../../../schemas/schema_errors.ts";
import { testedLink } from "../../load/selftest/tested.ts";
import { storeFixture, withHome } from "../../report/fixture.ts";
import { hostileFixture, raceFixture } from "../../report/fixtures.ts";
import { publicHarSchema } from "./har_schema.ts";

function assertTakes(validate: ReturnType<typeof publicHarSchema>, document: unknown): void {
  const taken = validate(document);
  assert.ok(taken, JSON.stringify(validate.errors?.slice(0, 5), null, 1));
}

/** What Trilane adds is typed in schemas/; here only what these tests look at. */
interface AnyHar {
  log: {
    pages: { id: string; _trilane: { lane: string } }[];
    entries: {
      pageref: string;
      connection?: string;
      _connectionId?: string;
      _socket?: number;
      _tls_version?: string;
    }[];
    _trilane: { loads: { load: number }[] };
  };
}

function harOf(results: Results, sweep: number, load?: number): AnyHar {
  const chosen = chooseLoads(results, sweep, load);
  const pieces = harPieces({ ...chosen, pageLoadOf: (id) => results.harOf(id) });
  return JSON.parse([...pieces].join("")) as AnyHar;
}

async function withFixtures(work: (results: Results, race: number, hostile: number) => void): Promise<void> {
  await withHome((home) => {
    const race = storeFixture(home, raceFixture);
    const hostile = storeFixture(home, hostileFixture);
    using results = openResults(home);
    work(results, race, hostile);
  });
}

test("the public schema refuses what is no HAR 1.2", () => {
  const validate = publicHarSchema();
  assert.ok(!validate({ log: { version: "1.2", creator: { name: "x" }, entries: [{}] } }));
});

test("a sweep as HAR: valid HAR 1.2, a page for each load, failed ones too, connections apart", async () => {
  await withFixtures((results, race, hostile) => {
    const har = harOf(results, race);
    assertTakes(publicHarSchema(), har);
    assert.equal(schemaErrors("export-har", har), null);
    assertTakes(publicHarSchema(), harOf(results, hostile));
    assert.equal(har.log.pages.length, results.loadsOf(race).length);
    assert.equal(new Set(har.log.pages.map((page) => page.id)).size, har.log.pages.length);
    const pages = new Set(har.log.pages.map((page) => page.id));
    assert.ok(har.log.entries.every((entry) => pages.has(entry.pageref)));
    const loadsByConnection = Map.groupBy(har.log.entries, (entry) => entry.connection);
    for (const [connection, entries] of loadsByConnection) {
      assert.equal(new Set(entries.map((entry) => entry.pageref)).size, 1, `connection ${connection} is of one load`);
    }
  });
});

test("URLs become strict ones that mean the same", () => {
  assert.equal(strictUrl("https://a.example/x?family=A|B&c=[1]"), "https://a.example/x?family=A%7CB&c=%5B1%5D");
  assert.equal(strictUrl("https://[2001:db8::1]:8443/a%20b?100%"), "https://[2001:db8::1]:8443/a%20b?100%25");
  assert.equal(strictUrl("https://a.example/plain.js?x=1#top"), "https://a.example/plain.js?x=1#top");
  assert.equal(strictUrl("https://a.example/\u5546"), "https://a.example/%E5%95%86");
  assert.match(strictUrl("not a url"), /^about:invalid#not%20a%20url$/);
  assert.equal(strictUrl("data:image/png;base64,AA=="), "data:image/png;base64,AA==");
});

test("one load as HAR keeps the browser's connection numbers and says protocol facts as WebPageTest does", async () => {
  await withFixtures((results, race) => {
    const load = results.loadsOf(race).find((each) => each.lane === "h3" && each.status === "valid");
    assert.ok(load);
    const har = harOf(results, race, load.id);
    assertTakes(publicHarSchema(), har);
    assert.deepEqual(
      har.log._trilane.loads.map((each) => each.load),
      [load.id],
    );
    assert.equal(har.log.pages[0]?._trilane.lane, "h3");
    const [entry] = har.log.entries;
    assert.match(entry?.connection ?? "", /^\d+$/);
    assert.equal(entry?._connectionId, entry?.connection);
    assert.equal(entry?._socket, Number(entry?.connection));
    assert.equal(entry?._tls_version, "TLSv1.3");
  });
});

function documentOf(results: Results, sweep: number) {
  return exportDocument(
    results.sweep(sweep),
    results.cellsOf(sweep),
    results.loadsOf(sweep),
    results.linkTestsOf(sweep),
  );
}

test("JSON is by its schema and holds every load and the verdict", async () => {
  await withFixtures((results, race, hostile) => {
    for (const sweep of [race, hostile]) {
      const document = documentOf(results, sweep);
      assert.equal(schemaErrors("export", JSON.parse(JSON.stringify(document))), null);
      assert.equal(document.loads.length, results.loadsOf(sweep).length);
      assert.ok(document.verdict.sentences.length > 0);
      assert.deepEqual(document.link_tests, results.linkTestsOf(sweep));
    }
    const machine = {
      kernel: "6.18",
      architecture: "x64",
      cpu: "A CPU",
      cpus: 2,
      memory_bytes: 8e9,
      versions: { chromium: ["156"] },
    };
    const cells = results
      .cellsOf(race)
      .map((cell, index) =>
        index === 0 ? { ...cell, host: { name: "one", facts: machine, cells: [], flags: [] } } : cell,
      );
    const shared = exportDocument(results.sweep(race), cells, [], []);
    assert.equal(schemaErrors("export", JSON.parse(JSON.stringify(shared))), null);
    assert.deepEqual(
      shared.cells.map(({ host }) => host),
      [{ name: "one", cpu: "A CPU", cpus: 2, kernel: "6.18", browser: ["156"] }, undefined, undefined],
    );
    const link = results.cellsOf(race)[0]?.link ?? "";
    for (const tested of [link, "1mbit/1ms"]) results.recordLinkTest(race, "a machine", testedLink(tested));
    const document = documentOf(results, race);
    assert.equal(schemaErrors("export", JSON.parse(JSON.stringify(document))), null);
    assert.deepEqual(
      document.link_tests?.map((each) => each.test.link),
      [link],
    );
    assert.deepEqual(
      document.improvements.map(({ lane, over }) => `${lane}/${over}`),
      ["h2/h1", "h3/h1", "h3/h2"],
    );
  });
});

/** RFC 4180, read letter by letter. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  let field = "";
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (quoted && letter === '"' && text[at + 1] === '"') {
      field += '"';
      at++;
    } else if (letter === '"') quoted = !quoted;
    else if (!quoted && letter === ",") {
      rows.at(-1)?.push(field);
      field = "";
    } else if (!quoted && letter === "\r" && text[at + 1] === "\n") {
      rows.at(-1)?.push(field);
      field = "";
      rows.push([]);
      at++;
    } else field += letter;
  }
  assert.ok(!quoted && field === "", "the last line ends");
  return rows.slice(0, -1);
}

test("CSV: a header and a row for each load, with the documented columns; missing values are empty", async () => {
  await withFixtures((results, race, hostile) => {
    const serving = { think: { ms: 20 }, transport: { preset: "tuned", tcp: { congestion_control: "bbr" } } } as const;
    for (const sweep of [race, hostile]) {
      const loads = results.loadsOf(sweep);
      const [header, ...rows] = readCsv([...csvLines({ serving, dilate: 5 }, results.cellsOf(sweep), loads)].join(""));
      assert.deepEqual(
        header,
        columns.map((column) => column.name),
      );
      assert.equal(rows.length, loads.length);
      const at = (name: string) => header.indexOf(name);
      rows.forEach((row, index) => {
        const load = loads[index];
        assert.equal(row.length, columns.length);
        assert.equal(row[at("load_id")], String(load?.id));
        assert.equal(row[at("link")], load?.link);
        assert.equal(row[at("plt_ms")], load?.plt_ms === null ? "" : String(load?.plt_ms));
        assert.equal(row[at("reasons")], load?.reasons.join(" | "));
        assert.deepEqual(
          ["origins", "think", "extra_rtt", "tls", "transport", "tcp_congestion", "quic_congestion", "dilation"].map(
            (each) => row[at(each)],
          ),
          ["as-recorded", "20", "false", "both", "custom", "bbr", "cubic", "5"],
        );
      });
    }
  });
});

test("CSV: of a load that timed out it says that it is in medians, and how long it was given", async () => {
  await withHome((home) => {
    const timedOut = { status: "failed", reasons: ["the load event did not come within 60000 ms"] } as const;
    const id = storeFixture(home, {
      ...raceFixture,
      outcome: ({ lane, block }) =>
        lane === "h3" && block > 1 ? timedOut : { status: lane === "h1" ? "invalid" : "valid", reasons: [] },
    });
    using results = openResults(home);
    const loads = results.loadsOf(id);
    const [header = [], ...rows] = readCsv([...csvLines({}, results.cellsOf(id), loads)].join(""));
    const value = (row: readonly string[], name: string) => row[header.indexOf(name)];
    const median = (lane: string) => summarize(loads).find((each) => each.lane === lane)?.median_ms ?? null;
    for (const lane of ["h1", "h2", "h3"]) {
      // As the columns say: medians recomputed from them are the report's.
      const times_ms = rows
        .filter((row) => value(row, "lane") === lane && value(row, "averaged") === "true")
        .map((row) => Number(value(row, "timed_out_after_ms") || value(row, "plt_ms")));
      const own = times_ms.length === 0 ? null : medianOf(times_ms);
      assert.equal(own, median(lane), lane);
    }
    assert.equal(median("h3"), 60_000);
  });
});

test("CSV: pin_time is what was applied to the load's cell, and empty where that was not noted", async () => {
  await withFixtures((results, race) => {
    const [first, second] = results.cellsOf(race);
    const load = results.loadsOf(race).find(({ cell }) => cell === first?.id);
    assert.ok(first && second && load);
    const pinTime = (cell: typeof first, pin_time = false) => {
      const [header = [], row = []] = readCsv([...csvLines({ serving: { pin_time } }, [cell], [load])].join(""));
      return row[header.indexOf("pin_time")];
    };
    assert.deepEqual([pinTime(first), pinTime(first, true)], ["", "true"]);
    assert.equal(pinTime({ ...first, pinned_ms: null }), "false");
    assert.equal(pinTime({ ...first, pinned_ms: 0 }), "true");
    // Of the page, on all its lanes and links, and the first decision stays.
    for (const moment_ms of [1000, null]) results.recordPinning(race, first.page, moment_ms);
    assert.deepEqual([...results.pinningsOf(race)], [[first.page, 1000]]);
    assert.deepEqual(
      new Set(results.cellsOf(race).flatMap(({ page, pinned_ms }) => (page === first.page ? [pinned_ms] : []))),
      new Set([1000]),
    );
  });
});

test("CSV: a dilated sweep's TCP is said to run what it ran", async () => {
  await withFixtures((results, race) => {
    const cells = results.cellsOf(race);
    for (const [dilate, control] of [
      [1, "cubic"],
      [5, "reno"],
    ] as const) {
      const [header = [], row = []] = readCsv([...csvLines({ dilate }, cells, results.loadsOf(race))].join(""));
      assert.equal(row[header.indexOf("tcp_congestion")], control);
    }
  });
});

test("CSV: columns of films come after all others, and a filmed load without a number is said to be one", () => {
  const names = columns.map(({ name }) => name);
  assert.deepEqual(names.slice(0, 4), ["load_id", "page", "lane", "link"]);
  assert.ok(names.indexOf("filmed") > names.indexOf("quic_congestion"));
  assert.ok(columns.every(({ name }, index) => !(name in filmMetrics) || index > names.indexOf("filmed")));
  assert.match(columns[0]?.meaning ?? "", /empty: filmed/);
});

test("CSV: quotes, commas and line ends are kept; formulas are defused", () => {
  assert.equal(csvField('a "b", c'), '"a ""b"", c"');
  assert.equal(csvField("=HYPERLINK(1)"), `"'=HYPERLINK(1)"`);
  // Where a semicolon parts fields, what follows one would be a field.
  assert.equal(csvField("a;=1+1"), '"a;=1+1"');
  assert.equal(csvField("a\t=1"), '"a\t=1"');
  assert.equal(csvField("h3 https://a.example/b_c-d"), "h3 https://a.example/b_c-d");
  assert.equal(csvField(-1.5), "-1.5");
  assert.equal(csvField(null), "");
});

test("choosing: the newest sweep, one by number, a load finds its sweep; else one line that names the remedy", async () => {
  await withFixtures((results, race, hostile) => {
    assert.equal(chooseSweep(results, undefined).id, hostile);
    assert.equal(chooseSweep(results, String(race)).id, race);
    const load = results.loadsOf(race)[3];
    assert.equal(chooseLoads(results, undefined, String(load?.id)).sweep.id, race);
    const user = (message: RegExp) => ({ name: "UserError", message });
    assert.throws(() => chooseSweep(results, "99"), user(/no sweep 99 .*trilane list/));
    assert.throws(() => chooseSweep(results, "x1"), user(/sweep must be a number/));
    assert.throws(() => readNumber("-3", "load"), user(/load must be a number/));
    assert.throws(() => chooseLoads(results, String(hostile), String(load?.id)), user(/no load \d+ in sweep/));
    assert.throws(() => chooseLoads(results, undefined, "123456"), user(/no load 123456 in the results/));
  });
});

test("a home without results is told what to run", async () => {
  await withHome((home) => {
    assert.throws(() => resultsOf(home), { name: "UserError", message: /trilane race/ });
    assert.deepEqual(readdirSync(home), [], "nothing is made");
  });
});
