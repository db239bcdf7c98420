// `trilane import`, `recording` and `export --recording` as a user calls them: documents are as their schemas say, tables
// fit a terminal, mistakes are one line, and a damaged recording is exit status 1.
// Wide: cli/commands/recording.ts, cli/recording.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { gunzipSync } from "node:zlib";
import type { Imported } from "../../../schemas/generated/imported.ts";
import type { RecordingDiffered } from "../../../schemas/generated/recording_differed.ts";
import type { RecordingExported } from "../../../schemas/generated/recording_exported.ts";
import type { RecordingShown } from "../../../schemas/generated/recording_shown.ts";
import type { RecordingsVerified } from "../../../schemas/generated/recordings_verified.ts";
import { run } from "../../product.ts";
import { schemaErrors } from "../../schemas/schema_errors.ts";
import { tempFolder } from "../../temp_folder.ts";
import { assertRefused } from "../refusal.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const fixtures = join(root, "test", "fixtures");

let home: string;
beforeEach(() => {
  home = tempFolder("trilane-recording-command-");
});

const trilane = (words: readonly string[], input: Buffer | string = "") => run(home, words, { input });

function documentOf<Document>(schema: string, ...words: string[]): Document {
  const { status, stdout, stderr } = trilane([...words, "--json"]);
  assert.equal(status, 0, stderr);
  const document = JSON.parse(stdout) as Document;
  assert.equal(schemaErrors(schema, document), null);
  return document;
}

test("a folder and an archive are imported, shown, edited, compared, exported and removed", () => {
  const [shop] = documentOf<Imported>("imported", "import", join(fixtures, "mahimahi", "shop")).recordings;
  assert.equal(shop.name, "shop");
  const wpr = join(fixtures, "wpr", "shop.wprgo");
  assert.match(trilane(["import", "-", "--format", "wpr", "--name", "wpr"], readFileSync(wpr)).stdout, /^wpr: 7 exch/);
  // Known by what is in it, also under another name.
  const renamed = join(home, "renamed.gz");
  writeFileSync(renamed, readFileSync(wpr));
  const [again] = documentOf<Imported>("imported", "import", renamed).recordings;
  assert.equal(again.exchanges, 7);

  const shown = documentOf<RecordingShown>("recording-shown", "recording", "show", "shop");
  assert.equal(shown.exchanges.length, 6);
  assert.equal(shown.by.host.length, 5);
  for (const line of trilane(["recording", "show", "shop"]).stdout.split("\n")) assert.ok(line.length <= 80, line);
  assert.equal(trilane(["recording", "show", "shop", "--requests"]).stdout.trim().split("\n").length, 7);

  const edit = ["recording", "edit", "shop", "--as", "lean", "--remove-host", "cdn.shop.example"];
  const [lean] = documentOf<Imported>("imported", ...edit).recordings;
  assert.equal(lean.exchanges, 5);
  const diff = documentOf<RecordingDiffered>("recording-differed", "recording", "diff", "shop", "lean");
  assert.deepEqual(
    [diff.same, diff.same_order, diff.changes.map(({ url }) => url)],
    [5, true, ["http://cdn.shop.example/app.js"]],
  );

  const out = join(home, "out");
  const exported = documentOf<RecordingExported>(
    "recording-exported",
    ...["export", "--recording", "shop", "--format", "mahimahi", "--out", out],
  );
  assert.deepEqual([exported.exchanges, exported.path], [6, out]);
  const [back] = documentOf<Imported>("imported", "import", out, "--name", "back").recordings;
  assert.equal(back.digest, shop.digest);
  const piped = spawnSync(
    join(root, "cli", "trilane"),
    ["export", "--recording", "shop", "--format", "wpr", "--home", home],
    { timeout: 60_000 },
  );
  assert.match(gunzipSync(piped.stdout).toString(), /^\{"Requests":/);

  assert.equal(trilane(["recording", "rm", "lean", "back"]).stdout, "removed 2 recordings\n");
});

test("verification: what is odd is told, what is damaged is exit status 1", () => {
  trilane(["import", join(fixtures, "mahimahi", "shop")]);
  const verified = documentOf<RecordingsVerified>("recordings-verified", "recording", "verify", "shop");
  const [shop] = verified.recordings;
  assert.deepEqual(
    [shop.digest_matches, shop.damaged.length, shop.misencoded.length, shop.cut_off.length, shop.unsent_headers],
    [true, 0, 1, 1, 1],
  );
  const name =
    documentOf<RecordingShown>("recording-shown", "recording", "show", "shop").exchanges[0]?.body_sha256 ?? "";
  rmSync(join(home, "bodies", name.slice(0, 2), name));
  const { status, stdout, stderr } = trilane(["recording", "verify", "shop"]);
  assert.equal(status, 1);
  assert.match(stdout, /DAMAGED.*\n.*0: the response's body is missing: https:\/\/www\.shop\.example\/$/m);
  assert.match(stderr, /^trilane: damaged: shop: .*\n$/);
});

test("mistakes: one line, exit status 2, nothing written", async () => {
  const folder = join(fixtures, "mahimahi", "shop");
  trilane(["import", folder]);
  const out = join(home, "out");
  for (const [words, what] of [
    [["recording"], /name an action/],
    [["recording", "show", "none"], /"none": not in the archive/],
    [["recording", "verify", "none"], /"none": not in the archive/],
    [["recording", "diff", "shop", "none"], /"none": not in the archive/],
    [["recording", "edit", "shop", "--as", "b"], /nothing to change/],
    [
      ["recording", "edit", "shop", "--as", "a b", "--remove-host", "*.shop.example", "--url", "x:"],
      /nothing would be/,
    ],
    [["recording", "edit", "shop", "--as", "b", "--replace-body", "x"], /URL=FILE/],
    [["import", folder], /exists already/],
    [["import", folder, "--format", "har"], /is a folder/],
    [["import", folder, "--format", "gob"], /--format must be one of/],
    [["import", folder, "--page", "1", "--name", "b"], /is no HAR/],
    [["export", "--recording", "shop", "--format", "csv", "--out", out], /must be one of har, mahimahi, wpr/],
    [["export", "--recording", "none", "--format", "wpr", "--out", out], /"none": not in the archive/],
    [["export", "3", "--recording", "shop", "--format", "wpr"], /leave out the sweep/],
    [["export", "--recording", "shop", "--format", "mahimahi"], /--out/],
    [["export", "--format", "wpr"], /--recording/],
  ] as const)
    await assertRefused([...words, "--home", home], what);
  assert.ok(!existsSync(out));
});

test("Chromium records: another browser is refused with the reason and what to do, and so is a program that is not there", async () => {
  const record = ["record", "https://shop.example/", "--home", home, "--browser"];
  for (const browser of ["firefox", "/opt/firefox/firefox"])
    await assertRefused(
      [...record, browser],
      /^--browser \S+: Chromium records, because Firefox changes .*, then race NAME --browser firefox$/,
    );
  await assertRefused([...record, join(home, "nothing")], /^no program at \S+nothing: /);
});
