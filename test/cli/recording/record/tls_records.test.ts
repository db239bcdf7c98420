// TLS records as they come over a connection, in whatever pieces: their size while it is young, and how long one took.
import assert from "node:assert/strict";
import { test } from "node:test";
import { TlsRecords } from "../../../../cli/recording/record/tls_records.ts";

function record(type: number, size_bytes: number): Buffer {
  const head = Buffer.from([type, 3, 3, size_bytes >> 8, size_bytes & 0xff]);
  return Buffer.concat([head, Buffer.alloc(size_bytes, 22)]);
}

const handshake = 22;
const data = 23;

/** The handshake's flight, which TLS 1.3 has in records of both types, then these. */
function connection(sizes: readonly number[], piece_bytes: number): TlsRecords {
  const records = new TlsRecords();
  records.take(Buffer.concat([record(handshake, 122), record(data, 9000)]), 50);
  records.endHandshake();
  const bytes = Buffer.concat(sizes.map((size) => record(data, size)));
  for (let at = 0; at < bytes.length; at += piece_bytes) records.take(bytes.subarray(at, at + piece_bytes), 100);
  return records;
}

test("the largest record of a young connection counts, whatever the pieces it came in", () => {
  for (const piece_bytes of [1, 3, 5, 1448, 1_000_000]) {
    assert.equal(connection([266, 16401, 16401], piece_bytes).youngRecord_bytes, 16_384);
    assert.equal(connection([266, 1391, 1391], piece_bytes).youngRecord_bytes, 1374);
  }
});

test("records that grow later, and those of the handshake, are not the young ones'", () => {
  const small = Array.from({ length: 12 }, () => 1400);
  assert.equal(connection([...small, 16_401], 1448).youngRecord_bytes, 1383);
});

test("short answers do not tell how large a record may be", () => {
  assert.equal(connection([266, 700, 1000], 1448).youngRecord_bytes, null);
  assert.equal(new TlsRecords().youngRecord_bytes, null);
});

test("what is read had to wait for all of its record", () => {
  const records = new TlsRecords();
  const first = record(data, 16_000);
  records.take(first.subarray(0, 14_000), 200);
  records.take(Buffer.concat([first.subarray(14_000), record(data, 300)]), 250);
  assert.equal(records.wait_ms(250.4), 50);
  assert.equal(records.wait_ms(252.9), 50, "the page's times and the log's are not told alike");
  assert.equal(records.wait_ms(290), 0, "another one, which came at once");
  assert.equal(records.wait_ms(100), 0);
});
