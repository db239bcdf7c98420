// cli/instruments/fetch/answer: medians and intervals of the right units, lanes compared by pairs, and what is said of it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { timeDifference } from "../../../../../cli/instruments/fetch/answer/comparison.ts";
import { fetchNotes } from "../../../../../cli/instruments/fetch/answer/notes.ts";
import { summarizeFetches } from "../../../../../cli/instruments/fetch/answer/summary.ts";
import { fetchVerdict } from "../../../../../cli/instruments/fetch/answer/verdict.ts";
import type { StoredFetch } from "../../../../../cli/instruments/fetch/store/fetch_runs.ts";
import { storedFetch } from "../records.ts";

const url = (host: number): string => `https://host${host}.example/`;

/** Hosts whose round trip is 10 ms longer each; h3 saves one of them. */
function twoLanes(hosts: number, blocks: number, noise_ms = 0): StoredFetch[] {
  return Array.from({ length: hosts }, (_, host) =>
    Array.from({ length: blocks }, (_, block) => {
      const rtt_ms = 10 * (host + 1) + noise_ms * (block % 2);
      const record = (trips: number) => ({
        url: url(host),
        final_url: url(host),
        established_ms: trips * rtt_ms,
        first_byte_ms: (trips + 1) * rtt_ms,
      });
      return [
        storedFetch({ object: url(host), lane: "h2", block, record: record(2) }),
        storedFetch({ object: url(host), lane: "h3", block, record: record(1) }),
      ];
    }),
  ).flat(2);
}

const places = (["h2", "h3"] as const).map((lane) => ({ lane, tls: "1.3", ip: 4, link: null }) as const);
const of = (fetches: readonly StoredFetch[], lane: string) => fetches.filter((fetch) => fetch.lane === lane);

describe("what fetches say together", () => {
  test("of five objects or more an object is the unit, of fewer a fetch", () => {
    const [h2] = summarizeFetches(places, twoLanes(5, 3));
    assert.deepEqual(
      [h2?.valid, h2?.objects, h2?.metrics.established_ms?.n, h2?.metrics.established_ms?.unit],
      [15, 5, 5, "objects"],
    );
    assert.equal(h2?.metrics.established_ms?.median, 60);
    const [few] = summarizeFetches(places, twoLanes(1, 7));
    assert.deepEqual([few?.metrics.established_ms?.n, few?.metrics.established_ms?.unit], [7, "fetches"]);
  });

  test("a metric that no fetch has says why, one without five values has no interval", () => {
    const failed = storedFetch({
      status: "failed",
      record: { first_byte_ms: null, error: { stage: "dns", reason: "no" } },
    });
    const [h2] = summarizeFetches(places, [failed]);
    assert.deepEqual(h2?.metrics.first_byte_ms, {
      ...{ n: 0, unit: "fetches", median: null, low: null, high: null },
      reason: "no object came",
    });
    const [four] = summarizeFetches(places, twoLanes(1, 4));
    assert.deepEqual([four?.metrics.first_byte_ms?.median, four?.metrics.first_byte_ms?.low], [30, null]);
    assert.equal(four?.metrics.packets_lost?.reason, "TCP counts segments");
  });

  test("throughput is of the whole fetch, the receive rate of what came after the first byte", () => {
    const [h2] = summarizeFetches(places, [
      storedFetch({ record: { body_bytes: 1_000_000, first_byte_ms: 100, download_ms: 500 } }),
    ]);
    assert.equal(h2?.metrics.throughput_bps?.median, 16e6);
    assert.equal(h2?.metrics.receive_rate_bps?.median, 20e6);
    const [small] = summarizeFetches(places, [storedFetch({ record: { body_bytes: 1000 } })]);
    assert.equal(small?.metrics.receive_rate_bps?.reason, "bodies of less than 100 kB have none");
  });

  test("a difference is of pairs: hosts apart do not blur it", () => {
    const fetches = twoLanes(7, 2, 3);
    const difference = timeDifference(of(fetches, "h3"), of(fetches, "h2"), "established_ms");
    assert.deepEqual([difference?.n, difference?.unit], [7, "object"]);
    assert.equal(difference?.median_ms, -41.5);
    assert.ok(Math.abs((difference?.ratio ?? 0) - 0.5) < 1e-12);
    const turned = timeDifference(of(fetches, "h2"), of(fetches, "h3"), "established_ms");
    for (const [end, other] of [
      [turned?.interval?.low, difference?.interval?.high],
      [turned?.interval?.high, difference?.interval?.low],
    ])
      assert.ok(Math.abs((end ?? 0) * (other ?? 0) - 1) < 1e-12);
    assert.equal(turned?.probability, difference?.probability);
  });

  test("only fetches that both came in a block are a pair", () => {
    const fetches = twoLanes(1, 6).map((fetch) =>
      fetch.lane === "h3" && fetch.block < 2 ? { ...fetch, status: "failed" as const } : fetch,
    );
    assert.equal(timeDifference(of(fetches, "h3"), of(fetches, "h2"), "first_byte_ms")?.n, 4);
    assert.equal(timeDifference([], of(fetches, "h2"), "first_byte_ms"), null);
  });

  test("the verdict says which connects faster, by how much, and of how many", () => {
    const [sentence = ""] = fetchVerdict(places, twoLanes(1, 7));
    assert.match(
      sentence,
      /^h3 connects 50\.0 % faster than h2 \(95 %: 50\.0 to 50\.0, in the median 10\.0 ms; n = 7 pairs\)/,
    );
    assert.match(sentence, /its first byte comes 33\.3 % sooner/);
  });

  test("cells of several objects are compared once each, and no lane with itself", () => {
    const lanes = ["h2", "h3", "h1"] as const;
    const fetches = twoLanes(3, 7).flatMap((fetch) =>
      fetch.lane === "h2" ? [fetch, { ...fetch, lane: "h1" as const }] : [fetch],
    );
    const cells = [0, 1, 2].flatMap((host) =>
      lanes.map((lane) => ({ object: url(host), lane, tls: "1.3", ip: 4, link: null }) as const),
    );
    const told = fetchVerdict(cells, fetches);
    assert.equal(told.length, 2, told.join("\n"));
    assert.match(told[0] ?? "", /^h3 connects .* than h2 /);
    assert.match(told[1] ?? "", /^h1 against h2, to connect: no difference shown/);
  });

  test("an interval that holds 0 shows nothing, four pairs are too few", () => {
    const noisy = twoLanes(1, 8).map((fetch, place) => ({
      ...fetch,
      record: fetch.record && { ...fetch.record, established_ms: 100 + (place % 3), first_byte_ms: 200 + (place % 3) },
    }));
    assert.match(fetchVerdict(places, noisy).join(), /h3 against h2, to connect: no difference shown \(95 %: /);
    assert.match(
      fetchVerdict(places, twoLanes(1, 4)).join(),
      /connected 50 % faster .* n = 4 pairs, an interval needs 5/,
    );
  });

  test("what is read together is corrected together: six pairs show one lane's gain, and not one of eight", () => {
    assert.match(fetchVerdict(places, twoLanes(1, 6)).join(), /^h3 connects 50\.0 % faster/);
    const six = twoLanes(1, 6).map((fetch) => ({ ...fetch, ip: 6 as const }));
    const both = [...places, ...places.map((place) => ({ ...place, ip: 6 as const }))];
    const told = fetchVerdict(both, [...twoLanes(1, 6), ...six]).join(" ");
    assert.match(told, /h3 probably connects 50\.0 % faster than h2 \(95 %: 50\.0 to 50\.0, /);
    assert.match(told, /8 comparisons were made, so more fetches are needed to be sure of what is probable\.$/);
  });

  test("versions of IP are compared too, and named", () => {
    const six = twoLanes(1, 9).map((fetch) => ({ ...fetch, ip: 6 as const }));
    const both = [...places, ...places.map((place) => ({ ...place, ip: 6 as const }))];
    const told = fetchVerdict(both, [...twoLanes(1, 9), ...six]).join(" ");
    assert.match(told, /IPv6: h3 connects/);
    assert.match(told, /h2 over IPv6 against h2 over IPv4, to connect: no difference shown/);
  });
});

describe("what is said beside times", () => {
  test("0-RTT lanes say how often there was no early data", () => {
    const row = (early_data: "accepted" | "rejected") => storedFetch({ lane: "h3-0rtt", record: { early_data } });
    const [note] = fetchNotes([row("accepted"), row("rejected")]);
    assert.equal(note, "h3-0rtt: 1 of 2 fetches without early data (it was rejected).");
    assert.doesNotMatch(fetchNotes([row("accepted")]).join(), /early data/);
  });

  test("a server of another version of TLS: the option that reaches it", () => {
    const refused = (tls: "1.2" | "1.3") => ({
      ...storedFetch({ object: "https://old.example/", lane: "h2", block: 0, record: {} }),
      ...{ tls, status: "failed" as const, reasons: ["tls: TLSV1_ALERT_PROTOCOL_VERSION"] },
    });
    assert.match(
      fetchNotes([refused("1.3")])[0] ?? "",
      /^h2: 1 fetch failed: the server speaks TLS 1\.2 only: add --tls 1\.2 /,
    );
    assert.match(fetchNotes([refused("1.2")])[0] ?? "", /the server speaks TLS 1\.3 only: add --tls 1\.3 /);
  });

  test("failures are told with lane, reason and object, statuses and hosts with their counts", () => {
    const notes = fetchNotes([
      storedFetch({
        lane: "h3",
        status: "failed",
        reasons: ["connect: no answer"],
        record: { status: null, error: { stage: "connect", reason: "no answer" } },
      }),
      storedFetch({ record: { status: 404, alt_svc: 'h3=":443"; ma=86400' } }),
      storedFetch({ status: "invalid", reasons: ["the machine disturbed the run: much"] }),
    ]);
    assert.deepEqual(notes, [
      "h3: 1 fetch failed: connect: no answer (https://shop.example/).",
      "1 response had a status of 404; they count.",
      "1 of 3 attempts does not count: the machine disturbed it.",
      "0 of 1 host have an HTTPS record; 1 of 1 host offers h3 by Alt-Svc.",
    ]);
  });

  test("redirects that were not followed are said to be some, what is not modified is none", () => {
    const answer = (status: number, location: string | null) => storedFetch({ record: { status, location } });
    const said = (...fetches: StoredFetch[]) => fetchNotes(fetches)[0];
    const moved = answer(301, "https://www.example/");
    assert.equal(said(moved), "1 response was a redirect, not followed: --follow 5.");
    assert.equal(said(moved, moved, answer(200, null)), "2 responses were redirects, not followed: --follow 5.");
    for (const none of [answer(200, "/x"), answer(304, "/x"), answer(300, null)])
      assert.doesNotMatch(fetchNotes([none]).join(), /redirect/);
  });
});
