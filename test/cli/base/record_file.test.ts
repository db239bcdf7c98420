// cli/base/record_file.ts: every whole record is read, wherever the file ends; an unavailable number is no number.
import assert from "node:assert/strict";
import { test } from "node:test";
import { groupRecords, parseRecords } from "../../../cli/base/record_file.ts";
import { recordBytes } from "../instruments/flows/records/record_bytes.ts";

const columns = ["time_ns", "flow", "bytes"];
const rows = [
  [15_490_794_606_908, 0, 10],
  [15_490_799_606_908, 1, null],
  [15_490_799_606_908, 0, 30],
];

test("columns are read by their names, in whatever order they stand", () => {
  const read = parseRecords(recordBytes(columns, rows), ["bytes", "time_ns"], "x.rec");
  assert.deepEqual([...read.bytes], [10, Number.NaN, 30]);
  assert.deepEqual([...read.time_ns], [15_490_794_606_908, 15_490_799_606_908, 15_490_799_606_908]);
});

test("a number beyond 32 bits keeps all its bits", () => {
  const [large] = parseRecords(recordBytes(["a"], [[2n ** 53n - 1n]]), ["a"], "x.rec").a;
  assert.equal(large, 2 ** 53 - 1);
});

test("a file that was cut off anywhere has the records that are whole", () => {
  const bytes = recordBytes(columns, rows);
  const header = bytes.indexOf(0x0a) + 1;
  for (let length = 0; length <= bytes.length; length++) {
    const { flow } = parseRecords(bytes.subarray(0, length), ["flow"], "x.rec");
    const whole = length < header ? 0 : Math.floor((length - header) / 24);
    assert.deepEqual([...flow], [0, 1, 0].slice(0, whole), `cut at ${length}`);
  }
});

test("a buffer that is a part of a larger one is read from its own beginning", () => {
  const bytes = recordBytes(columns, rows);
  const part = Buffer.concat([Buffer.from("xyz"), bytes]).subarray(3);
  assert.deepEqual([...parseRecords(part, ["flow"], "x.rec").flow], [0, 1, 0]);
});

test("what is no record file, or lacks a column, is named", () => {
  assert.throws(() => parseRecords(Buffer.from("hello\n"), ["a"], "far.rec"), /^RunError: far\.rec: no records/);
  assert.throws(
    () => parseRecords(Buffer.from('{"schema":"trilane/records/2","columns":["a"]}\n'), ["a"], "far.rec"),
    /^RunError: far\.rec: no records/,
  );
  assert.throws(() => parseRecords(recordBytes(["a"], []), ["a", "b"], "far.rec"), /far\.rec: no column b/);
});

test("records are grouped in their order; those of no group are left out", () => {
  const read = parseRecords(recordBytes(columns, [...rows, [1, 7, 1], [1, null, 1]]), ["flow", "bytes"], "x.rec");
  const groups = groupRecords(read, 3, (index) => read.flow[index] ?? -1);
  assert.deepEqual(
    groups.map(({ bytes }) => [...bytes]),
    [[10, 30], [Number.NaN], []],
  );
});
