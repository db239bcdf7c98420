// What fetches say together: units, medians, hosts helped and hurt, what hosts say of HTTP/3, system calls, and the studies' figures.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../../cli/base/random.ts";
import { callShares, countedCalls, kindShare } from "../../../../../cli/instruments/fetch/answer/call_shares.ts";
import { costSentences } from "../../../../../cli/instruments/fetch/answer/cost_sentence.ts";
import { discoveries, offersH3 } from "../../../../../cli/instruments/fetch/answer/discovery.ts";
import { hostEffects, pairsOf } from "../../../../../cli/instruments/fetch/answer/host_effects.ts";
import { summarizeQuantity } from "../../../../../cli/instruments/fetch/answer/quantity_summary.ts";
import { fetchesByPurpose } from "../../../../../cli/instruments/fetch/answer/summary.ts";
import { comparedFetchFigures } from "../../../../../cli/instruments/fetch/studies/fetch_agreement.ts";
import { panda2019Cost } from "../../../../../cli/instruments/fetch/studies/panda_2019_cost.ts";
import { panda2019Delivery } from "../../../../../cli/instruments/fetch/studies/panda_2019_delivery.ts";
import type { FetchCost } from "../../../../../schemas/generated/fetch_cost.ts";
import { storedFetch } from "../records.ts";
import { failedOf, fetchedOf, pairOf } from "./fetched.ts";

const pair = { lane: { lane: "h3", tls: "1.3" }, over: { lane: "h2", tls: "1.3" } } as const;
const host = (index: number): string => `https://h${index}.example/`;

test("of few hosts each fetch counts, of five or more each host once, however often it was fetched", () => {
  const few = [1, 2, 3].flatMap((index) =>
    Array.from({ length: 4 }, (_, block) =>
      fetchedOf({ object: host(index), block, record: { established_ms: index } }),
    ),
  );
  const alone = summarizeQuantity(few, "established_ms");
  assert.deepEqual([alone.unit, alone.n, alone.median], ["fetch", 12, 2]);
  const often = Array.from({ length: 50 }, (_, block) =>
    fetchedOf({ object: host(9), block, record: { established_ms: 90 } }),
  );
  const many = [1, 2, 3, 4].map((index) => fetchedOf({ object: host(index), record: { established_ms: index } }));
  const hosts = summarizeQuantity([...often, ...many], "established_ms");
  assert.deepEqual([hosts.unit, hosts.n, hosts.median], ["host", 5, 3]);
  assert.ok(hosts.interval);
});

test("what nothing has is missing for the reason that most records give", () => {
  const failed = [
    failedOf({}, "connect", "refused"),
    failedOf({}, "connect", "refused"),
    failedOf({}, "dns", "no name"),
  ];
  const summary = summarizeQuantity(failed, "established_ms");
  assert.deepEqual([summary.median, summary.reason], [null, "refused"]);
  assert.equal(summarizeQuantity([fetchedOf()], "server_cpu_ms").reason, "only a lab’s server is measured");
  const none = fetchedOf({ record: { cycles: null, unavailable: { cycles: "the machine has no counter of cycles" } } });
  assert.equal(summarizeQuantity([none], "client_cycles").reason, "the machine has no counter of cycles");
});

test("pairs that are compared: QUIC over each TLS of TCP, h2 over h1 with the same", () => {
  const variants = (["h1", "h2"] as const).flatMap((lane) =>
    (["1.2", "1.3"] as const).map((tls) => ({ lane, tls, ip: 4 as const })),
  );
  const names = pairsOf([...variants, { lane: "h3", tls: "1.3", ip: 4 }, { lane: "h3", tls: "1.3", ip: 6 }]).map(
    ({ lane, over }) => `${lane.lane} ${lane.tls} ${over.lane} ${over.tls}`,
  );
  assert.deepEqual(names, [
    "h3 1.3 h2 1.3",
    "h3 1.3 h1 1.3",
    "h3 1.3 h2 1.2",
    "h3 1.3 h1 1.2",
    "h2 1.3 h1 1.3",
    "h2 1.2 h1 1.2",
  ]);
});

test("hosts that are helped and hurt are named so; one without a difference, or with too few pairs, is not", () => {
  const random = randomSource(5, "hosts");
  const factors = [0.5, 2, 1];
  const fetched = factors.flatMap((factor, index) =>
    Array.from({ length: 16 }, (_, block) => {
      const base = 100 * (0.9 + 0.2 * random());
      const noise = 0.95 + 0.1 * random();
      return pairOf(host(index), block, base, base * factor * noise);
    }).flat(),
  );
  const few = [0, 1].flatMap((block) => pairOf(host(7), block, 100, 10));
  const { hosts } = hostEffects([...fetched, ...few], pair, "download_ms");
  const by = new Map(hosts.map((each) => [each.host, each]));
  assert.equal(by.get("h0.example")?.named, "helped");
  assert.equal(by.get("h1.example")?.named, "hurt");
  assert.equal(by.get("h2.example")?.named, null);
  assert.deepEqual(
    [by.get("h7.example")?.named, by.get("h7.example")?.interval, by.get("h7.example")?.pairs],
    [null, null, 2],
  );
  assert.ok(Math.abs((by.get("h0.example")?.percent ?? 0) - 50) < 3);
  assert.ok(Math.abs((by.get("h1.example")?.percent ?? 0) + 100) < 6);
  const interval = by.get("h0.example")?.interval;
  assert.ok(interval && interval.low < 50 && interval.high > 50);
  assert.deepEqual(
    hosts.map(({ percent }) => percent),
    hosts.map(({ percent }) => percent).toSorted((a, b) => b - a),
  );
});

test("with too few fetches to name any host, it is said how many suffice", () => {
  const effects = (hosts: number, runs: number) => {
    const fetched = Array.from({ length: hosts * runs }, (_, each) =>
      pairOf(host(each % hosts), Math.floor(each / hosts), 100 + each / 7, 10),
    ).flat();
    return hostEffects(fetched, pair, "download_ms");
  };
  const usual = effects(100, 5);
  assert.equal(usual.runsToTell, 10);
  assert.ok(usual.hosts.every(({ named, tooFew }) => named === null && tooFew));
  assert.ok(effects(100, 9).hosts.every(({ named }) => named === null));
  const enough = effects(100, 10);
  assert.equal(enough.runsToTell, null);
  assert.ok(enough.hosts.every(({ named, tooFew }) => named === "helped" && !tooFew));
  assert.deepEqual([effects(1, 4).runsToTell, effects(1, 5).runsToTell], [5, null]);
});

test("Holm's correction is over the hosts: alike hosts without a difference are seldom named", () => {
  const random = randomSource(8, "null");
  let named = 0;
  for (let round = 0; round < 60; round++) {
    const fetched = Array.from({ length: 10 }, (_, index) =>
      Array.from({ length: 12 }, (_, block) =>
        pairOf(host(index), block, 100 + 20 * random(), 100 + 20 * random()),
      ).flat(),
    ).flat();
    if (hostEffects(fetched, pair, "download_ms").hosts.some((each) => each.named !== null)) named++;
  }
  assert.ok(named <= 7, `${named} of 60 rounds name a host`);
});

test("a host without HTTP/3 is a row with its reasons; one that offers it is told from one that answers", () => {
  const offer = 'h3=":443"; ma=86400';
  const rows = discoveries([
    fetchedOf({ object: host(1), lane: "h2", record: { alt_svc: offer, certificate_bytes: 3000 } }),
    failedOf({ object: host(1), lane: "h3" }, "timeout", "the server did not answer in time over QUIC"),
    failedOf({ object: host(1), lane: "h3", block: 1 }, "timeout", "the server did not answer in time over QUIC"),
    fetchedOf({ object: host(2), lane: "h2", record: { alt_svc: 'h2=":443"', address: "192.0.2.8" } }),
    fetchedOf({ object: host(2), lane: "h3", record: { alt_svc: null } }),
    fetchedOf({ object: host(3), lane: "h1" }),
  ]);
  assert.deepEqual(
    rows.map(({ h3 }) => h3),
    ["no", "yes", "not asked"],
  );
  assert.deepEqual(rows[0]?.reasons, [{ reason: "time-out: the server did not answer in time over QUIC", times: 2 }]);
  assert.deepEqual(rows[0] && offersH3(rows[0]).altSvc, true);
  assert.deepEqual(rows[1] && offersH3(rows[1]).altSvc, false);
  assert.equal(rows[0]?.certificate_bytes, 3000);
  assert.equal(rows[1]?.reasons.length, 0);
});

test("where a redirect was followed, what was found out is the last host's", () => {
  const [row, ...none] = discoveries(
    [1, 2, 3].map((index) =>
      fetchedOf({
        object: host(index),
        record: { final_url: "https://shop.example/", address: "192.0.2.9", alt_svc: 'h3=":443"' },
      }),
    ),
  );
  assert.deepEqual([row?.host, row?.addresses, none], ["shop.example", ["192.0.2.9"], []]);
  // Five names that lead to one host are one host's connections.
  const led = [1, 2, 3, 4, 5].map((index) =>
    fetchedOf({ object: host(index), record: { final_url: "https://shop.example/" } }),
  );
  assert.deepEqual(
    [summarizeQuantity(led, "established_ms").unit, summarizeQuantity(led, "download_ms").unit],
    ["fetch", "object"],
  );
});

const calls = [
  { name: "recvmsg", calls: 800, errors: 1, seconds: 0.0769 },
  { name: "epoll_wait", calls: 300, errors: 0, seconds: 0.0173 },
  { name: "sendmsg", calls: 60, errors: 0, seconds: 0.0048 },
  { name: "brk", calls: 2, errors: 0, seconds: 0.001 },
];
const costWith = (client_calls: FetchCost["client_calls"]): FetchCost => ({
  ...{ schema: "trilane/fetch-cost/1", server: null, client_calls, server_calls: null },
  unavailable: { server: "none" },
});

test("shares of calls come to one, and kinds of calls are told by what they do", () => {
  const shares = callShares([...calls, ...calls]);
  assert.ok(Math.abs(shares.reduce((sum, { share }) => sum + share, 0) - 1) < 1e-12);
  assert.deepEqual([shares[0]?.name, shares[0]?.calls], ["recvmsg", 1600]);
  assert.equal(kindShare(calls, "receive")?.toFixed(3), "0.769");
  assert.equal(kindShare(calls, "wait")?.toFixed(3), "0.173");
  assert.equal(kindShare([], "send"), null);
  const [only, ...none] = countedCalls([fetchedOf({ lane: "h3", cost: costWith(calls) }), fetchedOf()]);
  assert.deepEqual([only?.end, only?.fetches, only?.body_bytes, none], ["client", 1, 51_200, []]);
  assert.deepEqual(countedCalls([failedOf({ cost: costWith(calls) }, "connect", "refused")]), []);
});

test("a lane's cost is that of objects that came: refused handshakes do not make it cheap", () => {
  const of = (cpu_user_us: number) => ({ lane: "h3", record: { cpu_user_us, cpu_system_us: 0 } }) as const;
  const came = [1, 2, 3, 4].map((index) => fetchedOf({ ...of(8000), object: host(index) }));
  const refused = [5, 6, 7, 8, 9, 10].map((index) =>
    failedOf({ ...of(100), object: host(index) }, "connect", "refused"),
  );
  const { median, n } = summarizeQuantity([...came, ...refused], "client_cpu_ms");
  assert.deepEqual([median, n], [8, 4]);
  assert.equal(summarizeQuantity(refused, "client_cpu_ms").reason, "refused");
});

test("the cost of a MB is said of each link, the cheapest lane first", () => {
  const of = (lane: "h2" | "h3", cpu_user_us: number, link = "50mbit/20ms") =>
    Array.from({ length: 6 }, (_, block) =>
      fetchedOf({
        ...{ lane, block, link },
        record: { body_bytes: 2_000_000, cpu_user_us: cpu_user_us + block, cpu_system_us: 0 },
      }),
    );
  const near = [...of("h3", 8000), ...of("h2", 4000)];
  const times = "2 ms over h2 (95 %: 2 to 2) and 4 ms over h3 (4 to 4)";
  assert.deepEqual(costSentences(near), [`Client CPU time per MB: ${times}.`]);
  assert.deepEqual(costSentences([...near, ...of("h3", 20_000, "3mbit/20ms")]), [
    `Client CPU time per MB on 50mbit/20ms: ${times}.`,
    "Client CPU time per MB on 3mbit/20ms: 10 ms over h3 (95 %: 10 to 10).",
  ]);
  assert.deepEqual(costSentences([fetchedOf({ record: { body_bytes: 1000 } })]), []);
});

test("links come in the plan's order, whichever was fetched from first", () => {
  const stored = [
    storedFetch({ cell: 2, link: "3mbit/20ms" }),
    storedFetch({ cell: 1, link: "50mbit/20ms" }),
    storedFetch({ cell: 2, link: "3mbit/20ms", block: 1 }),
    storedFetch({ cell: 1, link: "50mbit/20ms", block: 1 }),
  ];
  const { timed, counted } = fetchesByPurpose(stored, 1);
  assert.deepEqual(
    [timed, counted].map((all) => all.map(({ link }) => link)),
    [
      ["50mbit/20ms", "3mbit/20ms"],
      ["50mbit/20ms", "3mbit/20ms"],
    ],
  );
});

test("a study's ratio of CPU times and its shares of calls, with intervals over repetitions", () => {
  const object = "https://object-50mb.synth.test/";
  const of = (lane: "h1" | "h2" | "h3", cpu_user_us: number) =>
    Array.from({ length: 6 }, (_, block) =>
      fetchedOf({
        object,
        lane,
        block,
        link: "200mbit/20ms",
        record: { cpu_user_us: cpu_user_us + 10 * block, cpu_system_us: 0 },
      }),
    );
  const timed = [...of("h1", 50_000), ...of("h2", 50_000), ...of("h3", 100_000)];
  const counted = Array.from({ length: 5 }, (_, block) =>
    fetchedOf({ object, lane: "h3", block: 6 + block, link: "200mbit/20ms", cost: costWith(calls) }),
  );
  const compared = comparedFetchFigures(panda2019Cost, { timed, counted }, 1);
  assert.equal(compared.length, 7);
  assert.deepEqual([...new Set(compared.map(({ agreement }) => agreement))], ["agrees"]);
  assert.ok(Math.abs((compared[0]?.value ?? 0) - 2) < 0.01);
  assert.equal(compared[2]?.value?.toFixed(3), "0.769");
  const swapped = comparedFetchFigures(
    panda2019Cost,
    { timed: [...of("h2", 100_000), ...of("h3", 50_000)], counted: [] },
    1,
  );
  assert.deepEqual(
    swapped.map(({ agreement }) => agreement),
    ["differs"],
  );
});

test("IPv6 is held to the ratio of its headers only where the link's rate bounds the download", () => {
  const figures = panda2019Delivery.figures.filter(({ what }) => what.endsWith("IPv6 over IPv4"));
  assert.deepEqual(
    figures.map(({ link, object }) => [link, object]),
    [
      ["50mbit/20ms", "https://panda-sizes.synth.test/5.bin"],
      ["50mbit/20ms", "https://panda-sizes-200mb.synth.test/7.bin"],
    ],
  );
});

test("each study's figures are of its plans' links and objects, and none is there twice", () => {
  for (const { figures } of [panda2019Cost, panda2019Delivery]) {
    const keys = figures.map(({ what, link, object }) => `${what} ${link} ${object}`);
    assert.equal(new Set(keys).size, keys.length);
    for (const figure of figures)
      for (const place of [figure, ...(figure.over ? [figure.over] : [])])
        assert.match(place.object, /^https:\/\/[a-z0-9-]+\.synth\.test\//);
  }
});
