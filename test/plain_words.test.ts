// The check on words that are hard to read finds them in names too, lets no room have more, and the bars as they stand are kept.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loweredBars, placesIn, productPlaces, readBars, wordFaults, worstWords } from "./plain_words.ts";

test("words are found in sentences and names, and not within other words", () => {
  assert.deepEqual(worstWords("// Told what nobody asked."), ["told", "nobody", "asked"]);
  assert.deepEqual(worstWords("readAskedLink(full_told, UNTOLD)"), ["asked", "told", "untold"]);
  assert.deepEqual(worstWords("A sweep that is gone on with goes on; it tells."), ["gone on with", "goes on", "tells"]);
  assert.deepEqual(worstWords("masked tasks, unmasked; ask, tell, going on, retold"), []);
});

const places = placesIn("cli/load/load.ts", "told\n\nisAsked\n");

test("a room with more than its bar is named, with file and line", () => {
  assert.deepEqual(wordFaults(places, { "cli/load": 2 }), []);
  const faults = wordFaults(places, { "cli/load": 1 });
  assert.match(faults[0] ?? "", /^cli\/load: 2 words .* may have 1/);
  assert.match(faults[1] ?? "", /^ {2}cli\/load\/load\.ts:1: "told": write reported/);
  assert.match(faults[2] ?? "", /^ {2}cli\/load\/load\.ts:3: "asked"/);
  assert.equal(wordFaults(places, {}).length, 3);
});

test("bars are lowered in tens, never raised, and go with the last word", () => {
  assert.deepEqual(loweredBars(places, { "cli/load": 30, "cli/link": 10 }), { "cli/load": 10 });
  assert.deepEqual(loweredBars(places, { "cli/load": 1 }), { "cli/load": 1 });
});

test("the rooms as they are", () => assert.deepEqual(wordFaults(productPlaces(), readBars()), []));
