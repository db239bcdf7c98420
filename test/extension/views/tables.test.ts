// Tables that are sorted by their heads: order, missing values and their reasons; what the tables of hosts and videos say.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hostsTable } from "../../../extension/views/result/hosts_table.ts";
import {
  type Column,
  type SortableTable,
  sortableMarkup,
  sortedRows,
} from "../../../extension/views/result/sortable.ts";
import { videosTable } from "../../../extension/views/result/videos_table.ts";
import type { Profile } from "../../../schemas/generated/profile.ts";
import { examplesOf } from "../../schemas/mutations.ts";
import { profileOfRequests } from "./profile_fixture.ts";

interface Row {
  readonly name: string;
  readonly size: number | null;
}

const columns: readonly Column<Row>[] = [
  { title: "name", value: ({ name }) => name, cell: ({ name }) => name },
  {
    title: "size",
    isNumber: true,
    value: ({ size }) => size,
    cell: ({ size }) => String(size),
    why: ({ name }) => `${name} has none`,
  },
];
const rows: readonly Row[] = [
  { name: "b", size: 10 },
  { name: "<c>", size: null },
  { name: "a", size: 9 },
];
const table: SortableTable<Row> = { name: "t", label: "Sizes", caption: "", columns, rows, shown: 2 };
const namesOf = (sorted: readonly Row[]): string => sorted.map(({ name }) => name).join(" ");

test("numbers go by their value, words by the alphabet, missing ones are last either way", () => {
  const [name, size] = columns as [Column<Row>, Column<Row>];
  assert.equal(namesOf(sortedRows(rows, size, false)), "a b <c>");
  assert.equal(namesOf(sortedRows(rows, size, true)), "b a <c>");
  assert.equal(namesOf(sortedRows(rows, name, true)), "b a <c>");
});

test("the head says how it is sorted, a missing value why, and the rest is one press away", () => {
  const some = sortableMarkup(table, { column: 1, descending: true }, false).text;
  assert.match(some, /aria-sort="none"><button[^>]*>name<.*aria-sort="descending"><button[^>]*>size</s);
  assert.match(some, /Show all 3/);
  assert.ok(!some.includes("&lt;c&gt;</th>"));
  const all = sortableMarkup(table, null, true).text;
  assert.match(all, /&lt;c&gt;<\/th><td class="num">.*<sup>1<\/sup>.*unavailable: &lt;c&gt; has none/s);
  assert.match(all, /<ol[^>]*><li>&lt;c&gt; has none<\/li><\/ol>/);
  assert.ok(!all.includes("Show all"));
});

test("hosts: a row for each protocol, most requests first", () => {
  const { text } = sortableMarkup(hostsTable(profileOfRequests(31)), { column: 10, descending: true }, true);
  assert.match(text, /www\.example\.test.*cdn\.example\.test.*img\.example\.test/s);
  assert.match(text, /part of QUIC&#39;s handshake/);
  assert.match(text, /15\.0 ms.*25\.0 ms/s);
});

test("videos: what was seen of each, and what was not", () => {
  const { log } = examplesOf("profile").get("reload") as unknown as Profile;
  assert.ok(log._trilane.videos);
  const { text } = sortableMarkup(videosTable(log._trilane.videos), null, true);
  for (const part of [
    "clip.mp4",
    "180 ms",
    "420 ms",
    "9.7 %",
    "1 of 97",
    "320×180, 640×360",
    "1 video stalled",
    "One frame did not answer",
  ])
    assert.ok(text.includes(part), part);
  assert.match(text, /no source, in player\.example\.test.*not loaded.*unavailable: it was not played/s);
});
