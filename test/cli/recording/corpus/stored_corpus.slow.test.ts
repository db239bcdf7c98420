// A corpus in the archive as the real host writes it: once, page by page whole, and refused where a name is another's.
// Wide: cli/recording/corpus, native-host/archive, native-host/messaging.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { schemaValidator } from "../../../../cli/base/schema_error.ts";
import { withArchive } from "../../../../cli/recording/archive/client.ts";
import { sourceOf } from "../../../../cli/recording/archive/recording_source.ts";
import { corpusOf, findCorpus } from "../../../../cli/recording/corpus/corpus.ts";
import { dasName } from "../../../../cli/recording/corpus/corpus_names.ts";
import { das2014Distributions } from "../../../../cli/recording/corpus/distributions.ts";
import { writeCorpus } from "../../../../cli/recording/corpus/stored_corpus.ts";
import { ensureSynth } from "../../../../cli/recording/synth/synthetic.ts";
import type { Corpus as CorpusDocument } from "../../../../schemas/generated/corpus.ts";
import { run } from "../../../product.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { assertRefused } from "../../refusal.ts";

const home = tempFolder("trilane-corpus-");

// Smaller than Das's, so that they are made at once.
const small = {
  ...das2014Distributions(),
  source: "a test",
  pages: 4,
  servers: [1, 3, 6],
  objects: [2, 12, 30],
  total_bytes: [15_000, 60_000, 400_000],
  object_bytes: [53, 1500, 200_000],
} as ReturnType<typeof das2014Distributions>;
const written = (name: string, seed: number, onPage: (done: number) => void = () => {}, replace = false) =>
  withArchive(home, (archive) =>
    writeCorpus(archive, corpusOf(name, small, 4, seed), { sourceOf: () => `synth: corpus ${name}`, replace, onPage }),
  );

function trilane(...words: string[]) {
  const { status, stdout, stderr } = run(home, words);
  return { status, out: stdout, err: stderr.trim() };
}

test("an interrupted corpus has whole pages only, and the same again makes the rest, then none", async () => {
  const stop = new Error("enough");
  await assert.rejects(
    written("small", 1, (done) => {
      if (done === 2) throw stop;
    }),
    stop,
  );
  await withArchive(home, async (archive) => {
    assert.deepEqual(
      (await archive.list()).map(({ name }) => name),
      ["small-page-1", "small-page-2"],
    );
    for (const name of ["small-page-1", "small-page-2"]) assert.deepEqual((await archive.verify(name)).problems, []);
    await assert.rejects(findCorpus(archive, "small"), /corpus small: has 2 of its 4 pages/);
  });
  const rest = await written("small", 1);
  assert.equal(rest.made, 2);
  const again = await written("small", 1);
  assert.equal(again.made, 0);
  assert.deepEqual(again.recordings, rest.recordings);
  await withArchive(home, async (archive) => {
    // Bodies that pages share are whole on each.
    for (const { name } of again.recordings) assert.deepEqual((await archive.verify(name)).problems, []);
    assert.deepEqual((await findCorpus(archive, "small")).distributions, small);
    await assert.rejects(findCorpus(archive, "nosuch"), /no corpus is called nosuch: there is small/);
  });
});

test("another seed under the same name is refused before anything is written, and may take its place", async () => {
  await assert.rejects(written("small", 2), /recording small-page-1 is not a page of this corpus/);
  const before = await written("small", 1);
  assert.equal(before.made, 0);
  const replaced = await written("small", 2, () => {}, true);
  assert.equal(replaced.made, 4);
  assert.notDeepEqual(
    replaced.recordings.map(({ digest }) => digest),
    before.recordings.map(({ digest }) => digest),
  );
});

test("a page that a plan names by itself is the corpus' page", async () => {
  const name = dasName(6, 3);
  const corpus = corpusOf(name, das2014Distributions(), 6, 3);
  await withArchive(home, async (archive) => {
    const alone = await ensureSynth(archive, `${name}-page-2`);
    const { recordings, made } = await writeCorpus(archive, corpus, { sourceOf, replace: false, onPage: () => {} });
    assert.equal(made, 5);
    assert.equal(recordings[1]?.digest, alone.digest);
    assert.equal((await ensureSynth(archive, `${name}-page-5`)).id, recordings[4]?.id);
  });
  const checked = trilane("corpus", "check", name, "--json");
  const document: CorpusDocument = JSON.parse(checked.out);
  assert.ok(schemaValidator("corpus")(document));
  assert.equal(document.pages, 6);
  assert.deepEqual([document.made, document.name, document.seed], [0, name, 3]);
  assert.equal(checked.status, document.within ? 0 : 1);
});

/** A HAR of one page with objects of these sizes, in turn on these hosts. */
function har(sizes: readonly number[], hosts: readonly string[]): string {
  const entries = sizes.map((size, place) => ({
    pageref: "p",
    startedDateTime: `2024-01-01T00:00:00.${String(place).padStart(3, "0")}Z`,
    time: 1,
    request: { method: "GET", url: `https://${hosts[place % hosts.length]}/${place}`, headers: [] },
    response: { status: 200, headers: [{ name: "content-length", value: String(size) }], content: {}, bodySize: size },
  }));
  const pages = [
    { id: "p", title: "https://a.example/0", startedDateTime: "2024-01-01T00:00:00.000Z", pageTimings: {} },
  ];
  return JSON.stringify({ log: { version: "1.2", creator: { name: "test", version: "1" }, pages, entries } });
}

test("--like: the pages of a folder of HARs, by their own quantiles", () => {
  const folder = join(home, "hars");
  mkdirSync(folder);
  const sizes = (objects: number, least: number) =>
    Array.from({ length: objects }, (_, place) => Math.round(least * 1.2 ** place));
  writeFileSync(join(folder, "a.har"), har(sizes(5, 6000), ["a.example", "b.example"]));
  writeFileSync(join(folder, "b.har"), har(sizes(12, 2000), ["a.example", "b.example", "c.example"]));
  writeFileSync(
    join(folder, "c.har.gz"),
    gzipSync(har(sizes(20, 1500), ["a.example", "b.example", "c.example", "d.example"])),
  );
  const made = trilane("corpus", "synth", "--like", folder, "--pages", "3", "--name", "like", "--json");
  assert.equal(made.status, 0, made.err);
  const document: CorpusDocument = JSON.parse(made.out);
  const published = (of: string) => document.quantiles.filter((row) => row.of === of).map((row) => row.published);
  assert.deepEqual(published("objects"), [5, 12, 20]);
  assert.deepEqual(published("servers"), [2, 3, 4]);
  assert.deepEqual(published("https_pages"), [1]);
  assert.ok(document.within);
  assert.equal(
    JSON.parse(trilane("corpus", "synth", "--like", folder, "--pages", "3", "--name", "like", "--json").out).made,
    0,
  );
});

test("bad input is one line that names it and what to do", async () => {
  const empty = join(home, "empty");
  mkdirSync(empty);
  const sizeless = join(home, "sizeless");
  mkdirSync(sizeless);
  writeFileSync(join(sizeless, "x.har"), har([0, 0], ["a.example"]));
  const broken = join(home, "quantiles.json");
  writeFileSync(broken, JSON.stringify({ ...small, objects: [12, 2, 30] }));
  for (const [words, message] of [
    [["--pages", "0"], /--pages: must be a whole number from 1 to 5000 \(got "0"\)/],
    [["--like", empty], /empty: has no HAR file/],
    [["--like", sizeless], /x\.har: has no sizes of its responses/],
    [["--like", join(home, "nowhere")], /nowhere: no such folder/],
    [["--like", broken], /quantiles\.json: objects falls from 12 to 2/],
    [["--like", join(home, "nosuch.json")], /nosuch\.json: no such file/],
    [["--name", "x"], /--name: is for a corpus of your own pages/],
    [["--like", sizeless, "--name", "a/b"], /--name a\/b: must be/],
  ] as const)
    await assertRefused(["corpus", "synth", ...words, "--home", home], message);
  assert.match(trilane("corpus", "check", "nosuch").err, /no corpus is called nosuch/);
  assert.match(trilane("race", "corpus:small").err, /is a corpus of many pages/);
});
