// --evidence: a folder that cannot be is refused in a line that names it, before there is a sweep; and in one that can be each attempt's is found
// from its row, whatever pages, links and mixes are called.

import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { beforeEach, test } from "node:test";
import { evidenceFolders, makeEvidenceFolder } from "../../../cli/engine/evidence_folder.ts";
import { withArchive } from "../../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../../cli/recording/synth/synthetic.ts";
import { tempFolder } from "../../temp_folder.ts";
import { assertRefused } from "../refusal.ts";
import { refusedIn } from "../refused.ts";

let folder: string;
beforeEach(() => {
  folder = tempFolder("trilane-evidence-");
});

test("a folder is made with those above it, and one that is there is taken", () => {
  const path = join(folder, "a", "b", "c");
  makeEvidenceFolder(path);
  makeEvidenceFolder(path);
  assert.deepEqual(readdirSync(path), []);
});

test("what can be no folder is refused, and leaves nothing", () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  for (const path of [file, join(file, "a", "b"), join(folder, "a", "x".repeat(300)), "/proc", "/proc/x/y", "/sys/x"])
    assert.throws(() => makeEvidenceFolder(path), refusedIn(/./, `--evidence ${path}: `));
  assert.deepEqual(readdirSync(folder), ["file"]);
});

test("a race with such a folder ends before its sweep begins", async () => {
  await withArchive(folder, (archive) => ensureSynth(archive, "carlucci-small"));
  const words = ["race", "carlucci-small", "--lanes", "h2", "--runs", "1", "--home", folder, "--evidence"];
  for (const evidence of ["/proc/x", "/sys/x"])
    await assertRefused([...words, evidence], new RegExp(`^--evidence ${evidence}: nothing can be written there.*$`));
  assert.ok(!existsSync(join(folder, "results.db")));
});

interface Named {
  readonly id: number;
  readonly folders: readonly string[];
  readonly variant?: string;
}

const cell: Named = { id: 7, folders: ["amazon", "10mbit/50ms,loss=1%"], variant: "h2" };
const placed = (cells: readonly Named[], below = "/tmp/evidence") =>
  evidenceFolders(below, { id: 3 }, cells, (of) => of);

test("a folder for each attempt, with what cells of one folder differ by", () => {
  const run: Named = { id: 8, folders: ["cell-8-quic:cubic-n2 + tcp:cubic@5s", "5mbit/50ms"] };
  const of = placed([cell, run]);
  assert.equal(of(cell, 0, 1), "/tmp/evidence/sweep-3/amazon/10mbit_50ms,loss=1_/h2-block0-attempt1");
  assert.equal(of(run, 0, 1), "/tmp/evidence/sweep-3/cell-8-quic_cubic-n2_tcp_cubic_5s/5mbit_50ms/block0-attempt1");
  const other = { ...cell, id: 9, variant: "h3" };
  const attempts = [of(cell, 0, 0), of(cell, 0, 1), of(cell, 1, 0), placed([cell, other])(other, 0, 0)];
  assert.equal(new Set(attempts).size, 4);
});

test("a relative folder is one of where the command was run", () => {
  assert.ok(placed([cell], "evidence")(cell, 0, 0).startsWith(join(process.cwd(), "evidence") + sep));
});

test("no name leads out of the folder", () => {
  for (const name of ["..", ".", "../../etc", "/etc/passwd", "a\0b", "", "ü/ß", "x".repeat(500)]) {
    const named = { ...cell, folders: [name, name] };
    const path = placed([named])(named, 0, 0);
    assert.ok(resolve(path).startsWith("/tmp/evidence/sweep-3/"), name);
    assert.equal(path.split("/").length, 7, name);
    assert.ok(path.split("/").every((part) => part.length <= 140));
  }
});

test("cells whose names come to the same do not share a folder, whichever is made first", () => {
  const one = { ...cell, folders: ["amazon", "a/b"] };
  const two = { ...cell, id: 8, folders: ["amazon", "a?b"] };
  const [of, resumed] = [placed([one, two]), placed([two, one])];
  assert.notEqual(of(one, 0, 0), of(two, 0, 0));
  assert.deepEqual([resumed(two, 0, 0), resumed(one, 0, 0)], [of(two, 0, 0), of(one, 0, 0)]);
});
