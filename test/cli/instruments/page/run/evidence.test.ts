// Where a load's evidence goes: findable from its row, below the folder that was named, whatever a page is called.
import assert from "node:assert/strict";
import { join, resolve, sep } from "node:path";
import { test } from "node:test";
import { evidenceFolder } from "../../../../../cli/instruments/page/run/evidence.ts";

const cell = { id: 7, page: "amazon", link: "10mbit/50ms,loss=1%", lane: "h2" } as const;

test("a folder for each attempt", () => {
  const of = evidenceFolder("/tmp/evidence", { id: 3 });
  assert.equal(of(cell, 0, 1), "/tmp/evidence/sweep-3/amazon/10mbit_50ms,loss=1_/h2-block0-attempt1");
  assert.equal(new Set([of(cell, 0, 0), of(cell, 0, 1), of(cell, 1, 0)]).size, 3);
});

test("a relative folder is one of where the command was run", () => {
  assert.ok(evidenceFolder("evidence", { id: 1 })(cell, 0, 0).startsWith(join(process.cwd(), "evidence") + sep));
});

test("no name leads out of the folder", () => {
  const of = evidenceFolder("/tmp/evidence", { id: 1 });
  for (const page of ["..", ".", "../../etc", "/etc/passwd", "a\0b", "", "ü/ß", "x".repeat(500)]) {
    const path = of({ ...cell, page, link: page }, 0, 0);
    assert.ok(resolve(path).startsWith("/tmp/evidence/sweep-1/"), page);
    assert.equal(path.split("/").length, 7, page);
    assert.ok(path.split("/").every((part) => part.length <= 140));
  }
});

test("links whose names come to the same do not share a folder", () => {
  const of = evidenceFolder("/tmp/evidence", { id: 1 });
  const one = of({ ...cell, link: "a/b" }, 0, 0);
  const two = of({ ...cell, id: 8, link: "a?b" }, 0, 0);
  assert.notEqual(one, two);
  assert.equal(of({ ...cell, link: "a/b" }, 0, 0), one);
});
