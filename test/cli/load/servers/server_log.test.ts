// What servers say of their requests, and the replay's report with it.
import assert from "node:assert/strict";
import test from "node:test";
import { readServerLog, withServerLog } from "../../../../cli/load/servers/server_log.ts";
import type { ReplayReport } from "../../../../schemas/generated/replay_report.ts";

test("nginx, HAProxy, h2o and Caddy name protocol, connection, method and URL; other lines are left out", () => {
  const lines = [
    "trilane\tHTTP/2.0\t100.64.0.2:5000\tGET\thttps://a.example/x?y=1",
    "trilane\tHTTP/1.1\t100.64.0.2:5001\tPOST\t/form\ta.example:443",
    "trilane\tHTTP/2\t100.64.0.2:5002\tGET\thttps://a.example:443/",
    '{"level":"info","request":{"remote_ip":"100.64.0.2","remote_port":"6000","proto":"HTTP/3.0","method":"GET","host":"a.example","uri":"/z"}}',
    '{"level":"info","msg":"serving initial configuration"}',
    "trilane\tHTTP/2.0\t100.64.0.2:5004\tGET\thttps://a.example/e\t\tr\t1",
    "trilane\tHTTP/2.0\t100.64.0.2:5005\tGET\t/f\ta.example\t1\t0",
    "trilane\t-\t100.64.0.2:5003\t<BADREQ>\t-\t-",
    '{"cut off',
    "2026/11/29 [warn] something else",
  ];
  assert.deepEqual(readServerLog(lines.join("\n")), [
    { lane: "h2", client: "100.64.0.2:5000", method: "GET", url: "https://a.example/x?y=1" },
    { lane: "h1", client: "100.64.0.2:5001", method: "POST", url: "https://a.example/form" },
    { lane: "h2", client: "100.64.0.2:5002", method: "GET", url: "https://a.example/" },
    { lane: "h3", client: "100.64.0.2:6000", method: "GET", url: "https://a.example/z" },
    { lane: "h2", client: "100.64.0.2:5004", method: "GET", url: "https://a.example/e", resumed: true, early: true },
    { lane: "h2", client: "100.64.0.2:5005", method: "GET", url: "https://a.example/f", resumed: true },
  ]);
});

const request = (url: string, request_ns: number) => ({ method: "GET", url, request_ns, connection: 0 });

test("requests get the browser's connections; what the log does not have keeps none", () => {
  const requests = [
    request("https://a.example/1", 10),
    request("https://a.example/%7C", 20),
    request("https://b.example/3", 30),
    request("https://b.example/4", 40),
  ];
  const report = { requests, connections: [{ id: 0, lane: "h1" }] } as unknown as ReplayReport;
  const log = readServerLog(
    [
      "trilane\tHTTP/2.0\tc:1\tGET\thttps://a.example/1",
      "trilane\tHTTP/2.0\tc:1\tGET\thttps://a.example/|",
      "trilane\tHTTP/1.1\tc:2\tGET\thttps://b.example/3",
    ].join("\n"),
  );
  const { connections, requests: served } = withServerLog(report, log, () => "192.0.2.1");
  assert.deepEqual(
    connections.map(({ id, lane, opened_ns }) => [id, lane, opened_ns]),
    [
      [0, "h2", 10],
      [1, "h1", 30],
    ],
  );
  assert.deepEqual(
    served.map(({ connection }) => connection),
    [0, 0, 1, null],
  );
});
