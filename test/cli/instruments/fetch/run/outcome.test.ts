// cli/instruments/fetch/run/outcome: the table of a finished plan, within 80 columns, whatever the lanes and links.
import assert from "node:assert/strict";
import { test } from "node:test";
import { summarizeFetches } from "../../../../../cli/instruments/fetch/answer/summary.ts";
import { fetchTable } from "../../../../../cli/instruments/fetch/run/outcome.ts";
import { storedFetch } from "../records.ts";

const lanes = ["h1", "h2", "h2-0rtt", "h3", "h3-0rtt"] as const;

test("with all that there is, and seconds, it is no wider than 80 columns", () => {
  const links = ["10mbit/50ms", "128kbit/2000ms,loss=5%"];
  const places = links.flatMap((link) =>
    lanes.flatMap((lane) =>
      (["1.2", "1.3"] as const).flatMap((tls) => ([4, 6] as const).map((ip) => ({ link, lane, tls, ip }))),
    ),
  );
  const fetches = places.flatMap((place) =>
    Array.from({ length: 9 }, (_, block) =>
      storedFetch({
        ...place,
        block,
        record: {
          connect_ms: 2000 + block,
          tls_ms: 4001.5,
          first_byte_ms: 8123 + block,
          download_ms: 61234 + 100 * block,
        },
      }),
    ),
  );
  const lines = fetchTable(summarizeFetches(places, fetches));
  assert.ok(Math.max(...lines.map((line) => line.length)) <= 80, lines.join("\n"));
  assert.equal(lines.filter((line) => line.startsWith("h2 1.2 v6")).length, 2);
  assert.ok(lines.includes("128kbit/2000ms,loss=5%"));
});

test("what a lane has not is a dash, and one lane needs no more of a name", () => {
  const places = [{ link: null, lane: "h3", tls: "1.3", ip: 4 }] as const;
  const failed = storedFetch({ lane: "h3", status: "failed", record: null });
  assert.deepEqual(fetchTable(summarizeFetches(places, [failed])), [
    "ms  connect  TLS  1st byte  download  Mbit/s  n  failed",
    "h3        -    -         -         -       -  0       1",
  ]);
});
