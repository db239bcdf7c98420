// The result page's arithmetic: rows, filters, groups, shares, the time axis, and what is drawn of a row.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenWindow, moved, ticksOf, wholeWindow, zoomed } from "../../../extension/views/result/axis.ts";
import { filtered, isEmpty, linesOf, noFilter } from "../../../extension/views/result/filter.ts";
import { barMarkup, lineMarkup } from "../../../extension/views/result/row_markup.ts";
import { endOf, rowsOf } from "../../../extension/views/result/rows.ts";
import { sharesOf } from "../../../extension/views/result/shares.ts";
import { profileOfRequests } from "./profile_fixture.ts";

const profile = profileOfRequests(60);
const rows = rowsOf(profile);

test("rows are in the order of their beginning and tell protocol, connection and outcome", () => {
  const shuffled = structuredClone(profile);
  shuffled.log.entries.reverse();
  assert.deepEqual(
    rowsOf(shuffled).map(({ file }) => file),
    rows.map(({ file }) => file),
  );
  assert.equal(rows[0]?.kind, "document");
  assert.equal(rows[7]?.status, "failed");
  assert.equal(rows[7]?.failed, true);
  assert.deepEqual(
    rows.slice(0, 4).map(({ protocol, connection }) => [protocol, connection]),
    [
      ["http/1.1", 1],
      ["h2", 2],
      ["h3", 3],
      ["http/1.1", 4],
    ],
  );
  assert.equal(endOf(rows, null), Math.max(...rows.map(({ end_ms }) => end_ms)));
  assert.equal(endOf([], null), 1);
});

test("filters join: search words, words that must not be there, protocol, host, connection", () => {
  const search = (text: string) => filtered(rows, { ...noFilter, search: text }).map(({ number }) => number);
  assert.deepEqual(search("part-7.bin"), [8]);
  assert.deepEqual(search("IMG part-2.bin"), [3]);
  assert.equal(search("-img").length, 40);
  assert.equal(search("nothing-like-it").length, 0);
  assert.equal(search("  - ").length, 60);
  assert.equal(filtered(rows, { ...noFilter, protocol: "h3", search: "part-2" }).length, 5);
  assert.equal(filtered(rows, { ...noFilter, host: "cdn.example.test" }).length, 20);
  assert.ok(filtered(rows, { ...noFilter, connection: 2 }).every(({ host }) => host === "cdn.example.test"));
  assert.equal(filtered(rows, { ...noFilter, connection: 0 }).length, 0);
  assert.equal(isEmpty(noFilter), true);
  assert.equal(isEmpty({ ...noFilter, kind: "font" }), false);
});

test("grouped by connection every request stands once below its connection, those without one last", () => {
  const loose = rows.map((row) => (row.number === 1 ? { ...row, connection: null } : row));
  const lines = linesOf(loose, true);
  assert.equal(lines.filter((line) => line.is === "request").length, 60);
  const headings = lines.flatMap((line) => (line.is === "connection" ? [line.connection] : []));
  assert.deepEqual(
    headings,
    [1, 2, 3, 4, 5, 6, 7, 8].filter((each) => loose.some((row) => row.connection === each)).concat([null as never]),
  );
  let current: number | null | undefined;
  for (const line of lines) {
    if (line.is === "connection") current = line.connection;
    else assert.equal(line.row.connection, current);
  }
  assert.equal(linesOf(rows, false).length, 60);
});

test("shares add up to all requests and bytes, and their filters choose just these", () => {
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  for (const by of ["protocol", "host", "connection", "kind"] as const) {
    const shares = sharesOf(rows, by);
    assert.equal(
      shares.reduce((sum, { requests }) => sum + requests, 0),
      60,
      by,
    );
    assert.equal(
      shares.reduce((sum, share) => sum + share.bytes, 0),
      bytes,
      by,
    );
    for (const share of shares)
      assert.equal(filtered(rows, { ...noFilter, ...share.filter }).length, share.requests, share.label);
  }
});

test("the window of time zooms about a point, moves, and stays within the load", () => {
  const whole = wholeWindow(1000);
  const half = zoomed(whole, whole, 0.5, 0);
  assert.deepEqual(half, { from_ms: 0, to_ms: 510 });
  assert.deepEqual(zoomed(half, whole, 4, 0.5), whole);
  const late = moved(half, whole, 10);
  assert.equal(late.to_ms, whole.to_ms);
  assert.equal(late.to_ms - late.from_ms, 510);
  assert.equal(moved(late, whole, -10).from_ms, 0);
  assert.deepEqual(chosenWindow(700, 200, whole), { from_ms: 200, to_ms: 700 });
  const least = zoomed(whole, whole, 1e-9, 0.3);
  assert.ok(Math.abs(least.to_ms - least.from_ms - 1) < 1e-9);
  assert.ok(least.from_ms > 300 && least.to_ms < 310);
});

test("ticks are round, within the window, and not closer than text needs", () => {
  assert.deepEqual(ticksOf({ from_ms: 0, to_ms: 1020 }, 400), [0, 200, 400, 600, 800, 1000]);
  assert.deepEqual(ticksOf({ from_ms: 350, to_ms: 351 }, 200), [350, 350.5, 351]);
  assert.ok(ticksOf({ from_ms: 0, to_ms: 5 }, 10).length <= 2);
});

test("a bar is cut to the window; one outside it leaves a mark at the edge", () => {
  const row = rows[30];
  assert.ok(row);
  const drawing = { width_px: 200, colourBy: "phase" as const };
  const inside = barMarkup(row, { ...drawing, window: { from_ms: row.start_ms, to_ms: row.end_ms } }).text;
  assert.match(inside, /ph-wait/);
  for (const [, x = "", length = ""] of inside.matchAll(/M([\d.-]+) [\d.]+h([\d.]+)/g)) {
    assert.ok(Number(x) >= 0);
    assert.ok(Number(x) + Number(length) <= 204);
  }
  const before = barMarkup(row, { ...drawing, window: { from_ms: row.end_ms + 10, to_ms: row.end_ms + 20 } }).text;
  assert.match(before, /class="beyond"/);
  assert.doesNotMatch(before, /ph-/);
});

test("a row's text is escaped, whatever the page called its files", () => {
  const evil = structuredClone(profile);
  const first = evil.log.entries[0];
  assert.ok(first);
  first.request.url = 'https://x.test/<img src=x onerror="alert(1)">?"onmouseover="alert(2)';
  const [row] = rowsOf(evil);
  assert.ok(row);
  const markup = lineMarkup(
    { is: "request", row },
    { index: 0, current: false, hosts: true, list: "a" },
    { window: wholeWindow(100), width_px: 200, colourBy: "kind" },
  ).text;
  assert.doesNotMatch(markup, /<img/);
  assert.doesNotMatch(markup, /"onmouseover/);
});
