// extension/figures/filmstrip.ts: the same instants for all lanes, each picture once, nothing that a file could smuggle in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type FilmedLane, filmstripFigure, frameAt, instantsOf } from "../../../extension/figures/filmstrip.ts";

const frame = (time_ms: number, jpeg = `picture${time_ms}`) => ({ time_ms, jpeg });
const h1: FilmedLane = { lane: "h1", frames: [0, 130, 480, 900].map((at) => frame(at)), plt_ms: 870 };
const h3: FilmedLane = { lane: "h3", frames: [0, 90, 310].map((at) => frame(at)), plt_ms: 300 };

test("instants are round and go on until every lane has come to its last picture", () => {
  assert.deepEqual(instantsOf([h1, h3]), [0, 200, 400, 600, 800, 1000]);
  assert.deepEqual(instantsOf([h3]), [0, 50, 100, 150, 200, 250, 300, 350]);
  assert.deepEqual(instantsOf([{ lane: "h1", frames: [frame(0)], plt_ms: null }]), [0]);
  assert.deepEqual(instantsOf([]), []);
  for (const end of [7, 99, 101, 1234, 59_999]) {
    const instants = instantsOf([{ lane: "h2", frames: [frame(0), frame(end)], plt_ms: null }]);
    assert.ok(instants.length <= 8 && (instants.at(-1) ?? 0) >= end, `${end}: ${instants}`);
  }
});

test("at an instant stands the last frame not after it", () => {
  assert.equal(frameAt(h1.frames, 129)?.time_ms, 0);
  assert.equal(frameAt(h1.frames, 130)?.time_ms, 130);
  assert.equal(frameAt([frame(40)], 39), null);
});

test("each picture stands in the figure once and is shown at every instant", () => {
  const { text } = filmstripFigure([h1, h3], "g1");
  const [pictures, uses] = [/<image /g, /<use /g].map((what) => text.match(what)?.length);
  assert.deepEqual([pictures, uses], [7, 12], "also those that are shown at no instant: a reader may choose others");
  for (const [, id] of text.matchAll(/<use href="#([^"]+)"/g)) assert.ok(text.includes(`<image id="${id}"`), id);
  assert.match(text, /loaded 870 ms/);
  assert.match(text, /aria-label="What the page showed over h1, h3 at the same instants; h1 had loaded at 870 ms/);
});

test("a lane whose film begins late has no picture before it, and hostile text is only text", () => {
  const late = { lane: "h2", frames: [frame(350, '"/><script>')], plt_ms: null };
  const { text } = filmstripFigure([late, h1], "g1");
  assert.ok(!text.includes("<script>"));
  assert.equal(text.match(/h2 at /g)?.length, 4);
});

test("lanes of one protocol have a line style each, for the lines of visual progress", () => {
  const film = (lane: string) => ({ ...h1, lane });
  const { text } = filmstripFigure([film("h2+nginx"), film("h2+caddy"), film("h3+nginx")], "g1");
  assert.deepEqual(
    [...text.matchAll(/<g class="(lane-[^"]*)"/g)].map(([, words]) => words),
    ["lane-h2+nginx hue-h2", "lane-h2+caddy hue-h2 settings-1", "lane-h3+nginx hue-h3"],
  );
});
