// A stranger's text in any string of a HAR, and in any column of results, through the commands that read them: each ends in order or with one
// line, sends the terminal nothing but text, writes no formula into CSV, no markup into HTML that a browser would run, and no file elsewhere.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { checkout } from "../../../cli/base/programs.ts";
import { resultsPath } from "../../../cli/results/store/database.ts";
import { endBrowser, newPage, startBrowser } from "../../e2e/report_browser.ts";
import { assertCalmLines, filled, hostileText, hostileTexts } from "../../hostile_text.ts";
import { tempFolder } from "../../temp_folder.ts";
import { storeFixture } from "../report/fixture.ts";
import { raceFixture } from "../report/fixtures.ts";

const folder = tempFolder("trilane-hostile-");

let homes = 0;
/** A folder deep enough that a path that leads out of it stays in ours. */
function newHome(): string {
  const home = join(folder, String(++homes), "a", "b", "c", "d", "home");
  mkdirSync(home, { recursive: true });
  return home;
}

/** What it wrote to standard output. An export's is a file, which may hold anything. */
function run(home: string, ...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(join(checkout, "cli", "trilane"), [...words, "--home", home], {
    cwd: home,
    encoding: "utf8",
    timeout: 120_000,
    maxBuffer: 1 << 28,
  });
  const what = `${words.join(" ")} (${home})`;
  assert.ok(status !== null && [0, 2, 3].includes(status), `${what}: ${status} ${stderr.slice(0, 2000)}`);
  assertCalmLines(stderr, what);
  if (words[0] !== "export") assertCalmLines(stdout, what);
  if (status === 2) assert.equal(stderr.trimEnd().split("\n").length, 1, stderr.slice(0, 2000));
  return { status, stdout, stderr };
}

function assertNothingOutside(home: string): void {
  assert.deepEqual(readdirSync(join(home, "..", "..", "..", "..", "..")), ["a"]);
  assert.deepEqual(readdirSync(join(home, "..")), ["home"]);
}

const har = JSON.parse(readFileSync(join(checkout, "test/fixtures/har/chrome-devtools.har"), "utf8")) as {
  log: { entries: { request: { url: string } }[] };
};
har.log.entries.splice(3);
// Without these there is nothing to import.
const structure = /^(url|startedDateTime|method|version|pageref|id|mimeType|encoding)$/;

for (const [name, text] of Object.entries(hostileTexts))
  test(`a HAR with ${name} in its strings`, () => {
    const home = newHome();
    const file = join(home, "x.har");
    const made = filled(har, text, structure) as typeof har;
    for (const { request } of made.log.entries.slice(1)) request.url += `?${text}`;
    writeFileSync(file, JSON.stringify(made));
    const imported = run(home, "import", file);
    if (text.length >= 1 << 20) {
      // Of each string of a request: too much for its place in the archive.
      assert.match(imported.stderr, /^trilane: http:.{1,100}: its URL, headers and notes take more than 8 MB: take /);
      return;
    }
    assert.equal(imported.status, 0);
    for (const words of [
      ["import", file, "--replace", "--json"],
      ["list"],
      ["recording", "show", "x"],
      ["recording", "verify", "x"],
      ["export", "--recording", "x", "--format", "har", "--out", join(home, "again.har")],
      ["export", "--recording", "x", "--format", "mahimahi", "--out", join(home, "mahimahi")],
      ["export", "--recording", "x", "--format", "wpr", "--out", join(home, "x.wprgo")],
      ["import", join(home, "again.har"), "--name", "again"],
    ])
      run(home, ...words);
    assertNothingOutside(home);
  });

const base = newHome();
const reports: string[] = [];
/** Each in its turn. */
const formats = ["json", "har", "race", "p1203"];
storeFixture(base, { ...raceFixture, repetitions: 2 });

/** Of the columns with text in that sweep: each as one text, and where it is JSON with each of its strings. */
function* changes(): Generator<{ place: string; change: (database: DatabaseSync) => void }> {
  const database = new DatabaseSync(resultsPath(base), { readOnly: true });
  const columns = database
    .prepare(
      "SELECT s.name AS 'table', c.name AS 'column' FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table' AND c.type = 'TEXT'",
    )
    .all();
  const found = columns.map(({ table, column }) => {
    const row = database.prepare(`SELECT "${column}" AS value FROM "${table}" WHERE "${column}" IS NOT NULL`).get();
    return { table, column, value: row?.value };
  });
  database.close();
  for (const { table, column, value } of found) {
    if (typeof value !== "string") continue;
    const set = (text: string) => (changed: DatabaseSync) => {
      changed.exec("PRAGMA foreign_keys = OFF");
      changed.prepare(`UPDATE OR IGNORE "${table}" SET "${column}" = ?`).run(text);
    };
    yield { place: `${table}.${column}`, change: set(hostileText) };
    if (!/^[[{]/.test(value)) continue;
    const whole = filled(JSON.parse(value), hostileText, /^(lanes?|links?|pages|schema)$/);
    yield { place: `${table}.${column}, its strings`, change: set(JSON.stringify(whole)) };
  }
}

for (const { place, change } of changes())
  test(`results with hostile text in ${place}`, () => {
    const home = newHome();
    cpSync(base, home, { recursive: true });
    const database = new DatabaseSync(resultsPath(home));
    change(database);
    database.close();
    run(home, "list");
    const page = join(home, "report.html");
    run(home, "report", "1", "--out", page);
    if (existsSync(page)) assert.doesNotMatch(readFileSync(page, "utf8"), /<script>globalThis|<img src=x/);
    const { stdout } = run(home, "export", "1", "--format", "csv");
    assert.doesNotMatch(stdout, /(?:^|[,;"\t])[=@]/m);
    const format = formats[reports.length % formats.length] ?? "json";
    const exported = run(home, "export", "1", "--format", format);
    if (exported.status === 0) JSON.parse(exported.stdout);
    assertNothingOutside(home);
    if (existsSync(page)) reports.push(page);
  });

test("no report runs in a browser what a stranger wrote", async () => {
  await startBrowser();
  try {
    const page = await newPage();
    const ranIn = async (path: string): Promise<boolean> => {
      await page.goto(pathToFileURL(path).href);
      // What is folded is built when it is opened.
      return (await page.evaluate(`(async () => {
        for (const details of document.querySelectorAll("details")) details.open = true;
        await new Promise((resolve) => setTimeout(resolve, 100));
        return "ran" in globalThis;
      })()`)) as boolean;
    };
    const plain = join(folder, "plain.html");
    writeFileSync(plain, hostileTexts.markup);
    assert.equal(await ranIn(plain), true, "without a report around it, it runs");
    assert.ok(reports.length > 0);
    for (const report of reports) assert.equal(await ranIn(report), false, report);
  } finally {
    await endBrowser();
  }
});
