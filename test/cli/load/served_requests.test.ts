// Connections that a load's requests used, by the word of browser or server, and those that it opened for nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReplayReport } from "../../../cli/load/reports.ts";
import { unusedConnections, usedConnections } from "../../../cli/load/served_requests.ts";
import type { HarEntry } from "../../../schemas/generated/page_load.ts";
import { entry } from "./fixtures.ts";

const servedOn = (connection: number): HarEntry => {
  const { _connectionId, ...rest } = entry("https://shop.example/");
  const served = { connection } as HarEntry["_trilane"]["served"];
  return { ...rest, _trilane: { ...rest._trilane, served } } as HarEntry;
};

test("the browser's own numbers count; the server's only if the browser has none", () => {
  assert.equal(usedConnections([entry("https://a/", { _connectionId: "7" }), entry("https://b/")]), 1);
  assert.equal(usedConnections([servedOn(0), servedOn(0), servedOn(3)]), 2);
  assert.equal(usedConnections([entry("https://a/"), servedOn(0)]), 1);
  assert.equal(usedConnections([]), 0);
});

test("a connection without a request is unused, whatever became of it", () => {
  const replay = {
    connections: [
      { id: 0, lane: "h3" },
      { id: 1, lane: "h2" },
      { id: 2, lane: "h2" },
    ],
    requests: [{ connection: 0 }],
  } as unknown as ReplayReport;
  assert.deepEqual(unusedConnections(replay), { h2: 2 });
  assert.deepEqual(unusedConnections({ ...replay, connections: replay.connections.slice(0, 1) }), {});
  assert.equal(unusedConnections(null), null);
});
