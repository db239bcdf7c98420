// What a report says of servers in the lanes: which programs they were, what differed between them, and nothing if there are none.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReportData, ShownFacts } from "../../../cli/report/data.ts";
import { serversSection } from "../../../cli/report/method.ts";
import { serverDifferences } from "../../../cli/report/server_differences.ts";
import type { PageLoad, ServerFacts } from "../../../schemas/generated/page_load.ts";

const nginx: ServerFacts = {
  name: "nginx",
  program: "nginx",
  version: "1.22.1",
  build: "--with-http_v2_module",
  command: "exec /usr/sbin/nginx -c $SERVER/configuration",
  configuration: "listen 443 ssl http2;",
  cpu_ms: 12.34,
  logged: 3,
};
const direction = { packets_in: 40, packets_out: 40, queue_peak_packets: 9, drops: { queue: 2 } };

function facts(label: ShownFacts["label"], server?: ServerFacts): ShownFacts {
  const shaper = { down: direction, up: { ...direction, packets_in: 10 } };
  return {
    label,
    shaper,
    counts: { connections: 1 },
    ...(server ? { server, first_flight_bytes: 14_500 } : {}),
  } as unknown as ShownFacts;
}

const load = (connect: number): PageLoad =>
  ({
    log: { entries: [{ timings: { connect, wait: 30 } }, { timings: { connect: -1, wait: 50 } }] },
  }) as unknown as PageLoad;

test("program, version, build, configuration and CPU time of each server", () => {
  const text = serversSection([facts("h1+nginx", nginx), facts("h2+nginx", nginx), facts("h2+replay")])?.text ?? "";
  assert.match(text, /<th scope="row">nginx<\/th><td>nginx 1\.22\.1<\/td><td>h1 12\.3 ms, h2 12\.3 ms<\/td>/);
  assert.match(text, /--with-http_v2_module/);
  assert.match(text, /Build and configuration of nginx.*listen 443 ssl http2;/s);
});

test("what differed stands side by side; what was not measured is a dash", () => {
  const data = {
    facts: new Map([
      [1, facts("h2+nginx", nginx)],
      [2, facts("h2+replay")],
    ]),
    details: new Map([[1, load(101)]]),
    cells: [{ page: "a", link: "l" }],
  } as unknown as ReportData;
  const text = serverDifferences(data)?.text ?? "";
  const [nginxRow = "", replayRow = ""] = text.match(/<tr><th scope="row">.*?<\/tr>/g) ?? [];
  const cells = (row: string): string[] => [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, value = ""]) => value);
  assert.deepEqual(cells(nginxRow), [
    "101.0 ms",
    "40.0 ms",
    "14.5 kB",
    "–",
    "1",
    "40",
    "25",
    "9 packets",
    "2 packets",
    "12.3 ms",
  ]);
  assert.deepEqual(cells(replayRow), ["–", "–", "–", "–", "1", "40", "25", "9 packets", "2 packets", "–"]);
});

test("without servers of others there is no section", () => {
  const data = { facts: new Map([[1, facts("h2")]]), details: new Map(), cells: [{ page: "a", link: "l" }] };
  assert.equal(serversSection([facts("h2")]), null);
  assert.equal(serverDifferences(data as unknown as ReportData), null);
});
