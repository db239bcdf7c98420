// What a report says of lanes beyond the plain three.
import assert from "node:assert/strict";
import { test } from "node:test";
import { allLanes, type LaneLabel, plainLanes } from "../../../cli/base/lanes.ts";
import type { ShownFacts } from "../../../cli/report/data.ts";
import { lanesNote } from "../../../cli/report/lanes_note.ts";
import { coloursCss, laneClass } from "../../../extension/figures/colours.ts";
import { wordsOf } from "./markup_text.ts";

type Told = Pick<ShownFacts, "lane" | "protocols" | "repeat"> & {
  readonly label?: LaneLabel;
  readonly counts?: Pick<ShownFacts["counts"], "unused_connections">;
};
// The note reads nothing else of a load.
const facts = (told: readonly Told[]) =>
  told.map((each) => ({ label: each.lane, counts: {}, ...each })) as readonly Told[] as readonly ShownFacts[];
test("of plain lanes there is nothing to say", () => {
  assert.equal(lanesNote(plainLanes, []), null);
});

test("the protocols of all loads of a lane are added up", () => {
  const note = wordsOf(
    lanesNote(
      ["h2", "h3-altsvc"],
      facts([
        { lane: "h3-altsvc", protocols: { h2: 20, h3: 1 }, repeat: null },
        { lane: "h3-altsvc", protocols: { h2: 10, h3: 9 }, repeat: null },
        { lane: "h2", protocols: { h2: 7 }, repeat: null },
      ]),
    ),
  );
  assert.match(note, /h3-altsvc HTTP\/2 first, .* h2 30 \(75 %\), h3 10 \(25 %\)/);
  assert.match(note, / h2 7 \(100 %\)/);
  assert.doesNotMatch(note, /repeat visit is/);
});

test("a repeat visit tells its connections", () => {
  const repeat = { first_plt_ms: 1, cache: "emptied", connections: 3, resumed: 2, early_data: 1 } as const;
  const note = wordsOf(lanesNote(["h3-0rtt"], facts([{ lane: "h3-0rtt", protocols: { h3: 5 }, repeat }])));
  assert.match(note, /of 3 connections 2 resumed, 1 with early data; the first visit\S+ cache emptied/);
  assert.match(note, /repeat visit is/);
});

test("connections that were opened for nothing are told", () => {
  const protocols = { h3: 22 };
  const told = facts([
    { lane: "h3", label: "h3@firefox", protocols, repeat: null, counts: { unused_connections: { h2: 11 } } },
    { lane: "h3", label: "h3@chromium", protocols, repeat: null, counts: { unused_connections: {} } },
  ]);
  const note = wordsOf(lanesNote(["h3@chromium", "h3@firefox"], told));
  assert.match(
    note,
    /h3@firefox HTTP\/3, forced in Firefox h3 22 \(100 %\); 11 connections over h2 opened and not used/,
  );
  assert.match(note, /h3@chromium HTTP\/3, forced in Chromium h3 22 \(100 %\) h3@firefox/);
});

test("a lane whose loads are not shown says so", () => {
  assert.match(wordsOf(lanesNote(["h1-clear"], [])), /no load looked at/);
});

test("lanes of one protocol share its hue and differ in line style", () => {
  const css = coloursCss();
  const ruleOf = (lane: string) => css.match(new RegExp(`\\.lane-${lane}\\{([^}]*)\\}`))?.[1] ?? "";
  const hue = (lane: string) => ruleOf(lane).match(/--lane:(#\w+)/)?.[1];
  for (const lane of allLanes) assert.equal(hue(lane), hue(lane.slice(0, 2)));
  assert.equal(new Set(["h1", "h2", "h3"].map(hue)).size, 3);
  for (const family of ["h1", "h2", "h3"]) {
    const rules = allLanes.filter((lane) => lane.startsWith(family)).map(ruleOf);
    assert.equal(new Set(rules).size, rules.length, family);
  }
});

test("a lane with settings says which, and counts its own loads alone", () => {
  const told = facts([
    { lane: "h2", label: "h2:tuned", protocols: { h2: 3 }, repeat: null },
    { lane: "h2", label: "h2:bbr", protocols: { h2: 4 }, repeat: null },
  ]);
  const note = wordsOf(lanesNote(["h2:tuned", "h2:bbr"], told));
  assert.match(note, /h2:tuned HTTP\/2, forced, with the settings “tuned” h2 3 \(100 %\)/);
  assert.match(note, /h2:bbr HTTP\/2, forced, with the settings “bbr” h2 4 \(100 %\)/);
});

test("lanes that differ in settings share a hue, and only the first is solid", () => {
  const among = ["h2", "h2:tuned", "h3:a", "h3:b"];
  assert.deepEqual(
    among.map((label) => laneClass(label, among)),
    ["lane-h2", "lane-h2:tuned hue-h2 settings-1", "lane-h3:a hue-h3", "lane-h3:b hue-h3 settings-1"],
  );
  const css = coloursCss();
  assert.equal(/\.hue-h3\{--lane:(#\w+)\}/.exec(css)?.[1], /\.lane-h3\{--lane:(#\w+)\}/.exec(css)?.[1]);
  assert.match(css, /\.settings-1\{[^}]*--dash:/);
});
