// `trilane import` as a user calls it: what ends well is in the archive, what ends badly is one line, exit status 2, and an
// archive as it was.
// Wide: cli/commands/import.ts, cli/recording/import.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { UserError } from "../../../../cli/base/errors.ts";
import { checkout } from "../../../../cli/base/programs.ts";
import { deviceIn } from "../../../../cli/browser/device.ts";
import { command } from "../../../../cli/commands/import.ts";
import { pages as source } from "../../../../cli/pages/source.ts";
import { withArchive } from "../../../../cli/recording/archive/client.ts";
import { tempFolder } from "../../../temp_folder.ts";

const folder = tempFolder("trilane-import-");
const home = join(folder, "home");
const untouched = join(folder, "untouched");
const fixture = join(checkout, "test/fixtures/har/chrome-devtools.har");
const whole = readFileSync(fixture);

function trilane(words: string[], input?: Buffer): { status: number | null; out: string; error: string } {
  const { status, stdout, stderr } = spawnSync(join(checkout, "cli/trilane"), words, { input: input ?? "" });
  return { status, out: stdout.toString(), error: stderr.toString() };
}

function file(name: string, content: Buffer | string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test("a HAR, the same gzipped, and the same from standard input become the same recording", async () => {
  const plain = trilane(["import", fixture, "--home", home, "--json"]);
  assert.equal(plain.status, 0, plain.error);
  const zipped = trilane(["import", file("zipped.har.gz", gzipSync(whole)), "--home", home]);
  assert.equal(zipped.status, 0, zipped.error);
  assert.match(zipped.out, /^zipped: 6 exchanges, 2 hosts, 3 addresses, .* http:\/\/shop.example\/\n/);
  assert.match(zipped.out, /1 filled/);
  const piped = trilane(["import", "-", "--name", "piped", "--home", home], gzipSync(whole));
  assert.equal(piped.status, 0, piped.error);
  const [recording] = JSON.parse(plain.out).recordings;
  const recordings = await withArchive(home, (archive) => archive.list());
  assert.deepEqual(
    recordings.map(({ name }) => name),
    ["chrome-devtools", "piped", "zipped"],
  );
  assert.deepEqual([...new Set(recordings.map(({ digest }) => digest))], [recording.digest]);
  assert.equal(recording.filled, 1);
  assert.equal(recording.source, "har: WebInspector 537.36");
});

test("the archive holds the bodies' sizes and what was recorded", async () => {
  const { exchanges } = await withArchive(home, (archive) => archive.show("chrome-devtools"));
  assert.deepEqual(exchanges.map(({ path, body_origin, body_size }) => [path, body_origin, body_size]).slice(3, 5), [
    ["/site.js", "recompressed", exchanges[3]?.body_size],
    ["/hero.jpg", "filled", 20_480],
  ]);
  assert.equal(exchanges[4]?.recorded.transfer_size, 20_480);
  assert.equal(exchanges[5]?.body_sha256, null);
  assert.ok(exchanges[5]?.request_body_sha256);
});

test("a name that is taken is refused; --replace takes its place", async () => {
  const again = trilane(["import", fixture, "--home", home]);
  assert.equal(again.status, 2);
  assert.match(again.error, /^trilane: .*chrome-devtools.*\n$/);
  assert.equal(trilane(["import", fixture, "--home", home, "--replace"]).status, 0);
  assert.equal((await withArchive(home, (archive) => archive.list())).length, 3);
});

test("--as is kept with the recording: its model is made at once, and what cannot be raced as recorded is warned of", async () => {
  const modelled = trilane(["import", fixture, "--home", home, "--name", "later", "--as", "model"]);
  assert.equal(modelled.status, 0, modelled.error);
  assert.equal(modelled.error, "later: will be raced as a modelled page, later-model\n");
  const har = JSON.parse(whole.toString("utf8"));
  for (const { response } of har.log.entries) delete response.content.text;
  const bodiless = file("bodiless.har", JSON.stringify(har));
  const kept = trilane(["import", bodiless, "--home", home, "--as", "recorded"]);
  assert.equal(kept.status, 0, kept.error);
  assert.match(kept.error, /^trilane: warning: bodiless: bodies are missing [^\n]*, use --as model\n$/);
  const recordings = await withArchive(home, (archive) => archive.list());
  const notedOf = (name: string) => recordings.find((each) => each.name === name)?.notes.as;
  assert.deepEqual([notedOf("later"), notedOf("bodiless"), notedOf("piped")], ["model", "recorded", undefined]);
  assert.ok(recordings.some(({ name }) => name === "later-model"));
  const wrong = trilane(["import", fixture, "--home", untouched, "--as", "is"]);
  assert.deepEqual([wrong.status, wrong.error.split("\n").length, existsSync(untouched)], [2, 2, false]);
});

/** As the command line would report it, without starting one. */
async function refusal(options: { file: string[]; page?: number; document?: number; url?: string }): Promise<string> {
  const given = {
    name: "n",
    format: undefined,
    page: undefined,
    document: undefined,
    url: undefined,
    "keep-credentials": false,
    as: undefined,
    compute: "timer" as const,
    ...{ device: undefined, "device-pixel-ratio": undefined, window: undefined },
    replace: false,
    json: false,
  };
  try {
    await command.run(
      { ...given, home: untouched, ...options },
      { pageSource: async () => source, report: async () => "", plannedPages: assert.fail, bundled: async () => null },
    );
  } catch (error) {
    assert.ok(error instanceof UserError, String(error));
    return error.message;
  }
  return assert.fail("was taken");
}

test("bad input: one line that names the file, nothing written", async () => {
  const zipped = gzipSync(whole);
  for (const [path, message] of [
    [join(folder, "none.har"), /no such file/],
    [mkdtempSync(join(folder, "empty-")), /holds no file/],
    [file("empty.har", " \n"), /is empty/],
    [file("page.har", "<!doctype html><title>Not found</title>"), /HTML or XML, not HAR/],
    [file("cut.har", whole.subarray(0, whole.length / 2)), /is cut off at byte \d+, after 3 whole entries/],
    [
      file("cut.har.gz", zipped.subarray(0, zipped.length / 2)),
      /is cut off \(its gzip ends at byte \d+\) at byte \d+, after \d+ whole entr/,
    ],
    [
      file("damaged.har.gz", Buffer.concat([zipped.subarray(0, 40), Buffer.alloc(40), zipped.subarray(80)])),
      /gzip is damaged/,
    ],
    [file("text.har", "hello"), /is not JSON/],
    [file("other.har", "{}"), /not HAR/],
    [file("noentry.har", '{"log":{"pages":[],"entries":[]}}'), /has no entries/],
    [file("norequest.har", '{"log":{"entries":[{}]}}'), /1 entry with no request, no page/],
  ] as const) {
    const said = await refusal({ file: [path] });
    assert.ok(said.startsWith(`${path}: `), said);
    assert.match(said, message);
    assert.doesNotMatch(said, /\n/);
  }
  assert.equal(existsSync(untouched), false);
});

test("bad input on the command line: one line on standard error, exit status 2", () => {
  const path = file("cut.har", whole.subarray(0, whole.length / 2));
  const { status, out, error } = trilane(["import", path, "--home", untouched]);
  assert.equal(status, 2);
  assert.equal(out, "");
  assert.match(error, /^trilane: .*cut\.har: is cut off at byte \d+, after 3 whole entries: [^\n]*\n$/);
  assert.equal(existsSync(untouched), false);
});

test("options out of range are named", async () => {
  assert.match(await refusal({ file: [fixture], page: 0 }), /--page is a whole number from 1/);
  assert.match(await refusal({ file: [fixture], page: 2 }), /has no page 2: it has 1 page/);
  assert.match(await refusal({ file: [fixture], document: Number.NaN }), /--document is a whole number/);
  assert.match(
    await refusal({ file: [fixture], url: "ftp://a.example/" }),
    /--url ftp:\/\/a.example\/: is not an http/,
  );
});

test("a start URL without a response is warned of, and the recording is written", () => {
  const { status, error, out } = trilane([
    "import",
    fixture,
    "--home",
    home,
    "--name",
    "w",
    "--url",
    "https://no.example/",
  ]);
  assert.equal(status, 0);
  assert.match(error, /^trilane: warning: the start URL https:\/\/no.example\/ has no response/);
  assert.match(out, /^w: /);
});

test("a folder of HARs: a recording of each with a table, and a bad one does not stop the others", async () => {
  const hars = mkdtempSync(join(folder, "hars-"));
  mkdirSync(join(hars, "b"));
  writeFileSync(join(hars, "a.har"), whole);
  writeFileSync(join(hars, "b/a.har"), whole);
  writeFileSync(join(hars, "bad.har"), whole.subarray(0, whole.length / 2));
  writeFileSync(join(hars, "c.har.gz"), gzipSync(whole));
  writeFileSync(join(hars, "notes.txt"), "no HAR");
  const home = join(folder, "many");
  const { status, out, error } = trilane(["import", hars, "--home", home]);
  assert.equal(status, 1, error);
  assert.match(error, /^trilane: 1 of 4 files not imported\n$/);
  const rows = out.trimEnd().split("\n");
  assert.equal(rows.length, 5);
  assert.match(out, /b\/a\.har +b-a +6 {2}6 of 10 entries imported; left out: /);
  assert.match(out, /bad\.har +refused +is cut off at byte \d+, after 3 whole entries/);
  const recordings = await withArchive(home, (archive) => archive.list());
  assert.deepEqual(
    recordings.map(({ name }) => name),
    ["a", "b-a", "c"],
  );
  const again = trilane(["import", join(hars, "a.har"), join(hars, "bad.har"), "--replace", "--json", "--home", home]);
  assert.equal(again.status, 1);
  const document = JSON.parse(again.out);
  assert.deepEqual([document.recordings.length, document.refused.length], [1, 1]);
  trilane(["import", join(hars, "a.har"), join(hars, "c.har.gz"), "--replace", "--device", "phone", "--home", home]);
  for (const name of ["a", "c"])
    assert.equal(
      deviceIn((await withArchive(home, (archive) => archive.show(name))).recording.notes.device).width,
      412,
    );
  const none = trilane(["import", hars, "--home", home]);
  assert.deepEqual([none.status, none.error.split("\n").length], [2, 2]);
  assert.match(trilane(["import", hars, "--name", "x", "--home", home]).error, /--name is for one file/);
});
