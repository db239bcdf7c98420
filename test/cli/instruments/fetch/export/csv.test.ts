// cli/instruments/fetch/export/csv: a row for each fetch, those that left nothing too, with the metrics of the schema.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchColumns, fetchCsvLines } from "../../../../../cli/instruments/fetch/export/csv.ts";
import { storedFetch } from "../records.ts";

const cells = (fetch: Parameters<typeof storedFetch>[0]): Record<string, string> => {
  const [head = "", row = ""] = [...fetchCsvLines([storedFetch(fetch)])];
  const names = head.trimEnd().split(",");
  return Object.fromEntries(
    row
      .trimEnd()
      .split(",")
      .map((value, place) => [names[place], value]),
  );
};

test("a row has what was fetched, over what, and what it cost", () => {
  const row = cells({ record: { body_bytes: 1_000_000, download_ms: 500, first_byte_ms: 100 } });
  assert.deepEqual(
    [row.object, row.host, row.lane, row.ip, row.status, row.connect_ms, row.throughput_bps, row.receive_rate_bps],
    ["https://shop.example/", "shop.example", "h2", "4", "valid", "50", "16000000", "20000000"],
  );
  assert.equal(row.packets_lost, "");
});

test("a fetch whose client left nothing is a row as long as all", () => {
  const lines = [...fetchCsvLines([storedFetch({ status: "failed", reasons: ["killed"], record: null })])];
  assert.equal(lines[1]?.split(",").length, fetchColumns.length);
  assert.match(lines[1] ?? "", /,failed,killed,/);
});

test("a server of another version of TLS: what to do, in place of TLS' own word", () => {
  const reason = "TLSV1_ALERT_PROTOCOL_VERSION";
  const refused = (lane: "h2" | "h3") =>
    cells({ lane, status: "failed", reasons: [`tls: ${reason}`], record: { error: { stage: "tls", reason } } });
  const words = "the server speaks TLS 1.2 only: add --tls 1.2";
  assert.deepEqual([refused("h2").reasons, refused("h2").error_reason], [words, words]);
  assert.equal(refused("h3").error_reason, reason);
});

test("with prefixes a row has the autonomous system of its address; without, an empty field", () => {
  const systems = { systemOf: () => "AS64500, AS64501", nameOf: () => "Example", prefixes: 1 };
  const columns = fetchColumns.slice(-2).map(({ name, value }) => ({ name, value }));
  const fetch = storedFetch();
  assert.deepEqual(
    columns.map(({ name }) => name),
    ["autonomous_system", "autonomous_system_name"],
  );
  assert.deepEqual(
    columns.map(({ value }) => value(fetch, fetch.record, systems)),
    ["AS64500, AS64501", "Example"],
  );
  assert.deepEqual(
    columns.map(({ value }) => value(fetch, fetch.record, null)),
    [null, null],
  );
  assert.match([...fetchCsvLines([fetch], systems)][1] ?? "", /,"AS64500, AS64501",Example\r\n$/);
});
