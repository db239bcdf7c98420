// cli/instruments/fetch/plan: what a plan of fetches is, what of it contradicts itself, and in which order its fetches come.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { describeFetches } from "../../../../../cli/instruments/fetch/plan/describe.ts";
import { fetchSeed, orderFetches } from "../../../../../cli/instruments/fetch/plan/fetch_order.ts";
import { type FetchOptions, fetchPlanFrom } from "../../../../../cli/instruments/fetch/plan/options.ts";
import {
  fetchCellsOf,
  fetchPlanDigest,
  fetchPlanOf,
  variantsOf,
} from "../../../../../cli/instruments/fetch/plan/plan.ts";
import { tempFolder } from "../../../../temp_folder.ts";

const objects = ["https://a.example/", "https://b.example/", "https://c.example/"];
const base = { name: "test", objects, lanes: ["h1", "h3"], repetitions: 2 };
const plan = (changed: object = {}) => fetchPlanOf({ ...base, ...changed }, "test");

const options: FetchOptions = {
  object: objects,
  lanes: undefined,
  tls: undefined,
  ip: undefined,
  runs: undefined,
  syscalls: undefined,
  link: [],
  page: undefined,
  connect: undefined,
  trust: undefined,
  outside: false,
  "allow-local-network": false,
  insecure: false,
  follow: undefined,
  timeout: undefined,
  "max-body": undefined,
  pause: undefined,
  most: 1000,
  "user-agent": undefined,
  seed: undefined,
  tolerance: undefined,
  ...{ decide: undefined, precise: undefined, "time-limit": undefined },
};

describe("plans of fetches", () => {
  test("lanes that have TLS 1.3 always have it once", () => {
    const variants = variantsOf(plan({ lanes: ["h1", "h2-0rtt", "h3"], tls: ["1.2", "1.3"], ip: [4, 6] }));
    assert.deepEqual(
      variants.map(({ lane, tls, ip }) => `${lane} ${tls} ${ip}`),
      ["h1 1.2 4", "h1 1.2 6", "h1 1.3 4", "h1 1.3 6", "h2-0rtt 1.3 4", "h2-0rtt 1.3 6", "h3 1.3 4", "h3 1.3 6"],
    );
  });

  test("cells are objects x what they are fetched over x links", () => {
    assert.equal(fetchCellsOf(plan()).length, 6);
    const inLabs = fetchCellsOf(plan({ page: "shop", links: ["10mbit/50ms", "3mbit/50ms"] }));
    assert.equal(inLabs.length, 12);
    assert.deepEqual([...new Set(inLabs.map(({ link }) => link))], ["10mbit/50ms", "3mbit/50ms"]);
  });

  test("in a block an object's fetches follow one another, and the order is the seed's", () => {
    const cells = fetchCellsOf(plan());
    const order = orderFetches(plan(), cells);
    assert.equal(order.length, 12);
    for (let place = 0; place < order.length; place += 2) {
      const [one, other] = [order[place], order[place + 1]].map((each) => cells[each?.cell ?? -1]?.object);
      assert.equal(one, other);
    }
    assert.deepEqual(orderFetches(plan(), cells), order);
    assert.notDeepEqual(orderFetches(plan({ seed: 2 }), cells), order);
  });

  test("system calls are counted in blocks of their own, after all others", () => {
    const cells = fetchCellsOf(plan());
    const order = orderFetches(plan({ syscalls: 3 }), cells);
    assert.equal(order.length, 5 * cells.length);
    assert.deepEqual(
      order.map(({ block }) => block),
      order.map((_, place) => Math.floor(place / cells.length)),
    );
    assert.notEqual(fetchPlanDigest(plan({ syscalls: 3 }), null), fetchPlanDigest(plan(), null));
    assert.throws(() => plan({ syscalls: -1 }), /syscalls/);
  });

  test("what an object is fetched over meets the same luck on a link, another object and block another", () => {
    const place = { object: "https://a.example/", link: "10mbit/50ms", link_profile: { seed: 1 } };
    const seed = fetchSeed({ seed: 1 }, place, 0);
    assert.equal(fetchSeed({ seed: 1 }, { ...place }, 0), seed);
    assert.notEqual(fetchSeed({ seed: 1 }, place, 1), seed);
    assert.notEqual(fetchSeed({ seed: 1 }, { ...place, object: "https://b.example/" }, 0), seed);
  });

  test("the digest is of what decides the fetches, not of the pause or the words for people", () => {
    const digest = fetchPlanDigest(plan(), null);
    assert.equal(fetchPlanDigest(plan({ pause_ms: 5, description: "x" }), null), digest);
    for (const changed of [{ seed: 2 }, { lanes: ["h1"] }, { follow: 1 }, { verify: false }, { connect: "192.0.2.1" }])
      assert.notEqual(fetchPlanDigest(plan(changed), null), digest, JSON.stringify(changed));
    assert.notEqual(fetchPlanDigest(plan(), "another recording"), digest);
  });

  test("IP follows a server's address", () => {
    assert.deepEqual(plan({ connect: "[2001:db8::1]:8443" }).ip, [6]);
    assert.deepEqual(plan({ connect: "2001:db8::1" }).ip, [6]);
    assert.deepEqual(plan({ connect: "192.0.2.1:8443" }).ip, [4]);
    assert.throws(
      () => plan({ connect: "192.0.2.1", ip: [4, 6] }),
      /IPv6 is asked for, and 192\.0\.2\.1 is an address of IPv4/,
    );
  });

  test("a large object is guessed to take what its bytes take on the link, where they are known", () => {
    const inLab = plan({
      page: "shop",
      links: ["10mbit/50ms"],
      objects: objects.slice(0, 1),
      lanes: ["h1"],
      repetitions: 1,
    });
    const [unknown, known] = [new Map<string, number>(), new Map([[objects[0] ?? "", 100e6]])].map(
      (sizes) => describeFetches({ plan: inLab, sizes, unmade: null }).expected_s,
    );
    assert.ok((known ?? 0) - (unknown ?? 0) > 80 && (known ?? 0) - (unknown ?? 0) < 90, `${unknown} ${known}`);
  });

  const contradictions = [
    { changed: { links: ["10mbit/50ms"] }, says: /a lab reaches no network: name the recording/ },
    { changed: { page: "shop" }, says: /a page's servers are in a lab: name its link/ },
    { changed: { objects: undefined }, says: /no object: name a URL/ },
    { changed: { ca: "ca.pem", verify: false }, says: /leave --trust or --insecure out/ },
    {
      changed: { repetitions: 10_000, objects: Array.from({ length: 200 }, (_, n) => `https://${n}.example/`) },
      says: /4000000 fetches/,
    },
    { changed: { objects: ["http://a.example/"] }, says: /objects\[0\]/ },
    {
      changed: { objects: [`https://a.example/${"a".repeat(65_519)}`] },
      says: /objects\[0\]: must NOT have more than 65536/,
    },
    { changed: { objects: [`https://a.example/${"ü".repeat(40_000)}`] }, says: /plan test: .* more than 65536 bytes/ },
    { changed: { lanes: ["h4"] }, says: /lanes\[0\]: must be one of/ },
    { changed: { page: "shop", links: ["10mbit/50ms", "10mbit/50ms"] }, says: /10mbit\/50ms/ },
  ];
  for (const { changed, says } of contradictions)
    test(`${JSON.stringify(changed).slice(0, 60)} is refused in one line`, () => {
      assert.throws(() => plan(changed), says);
    });

  test("options come to a plan with defaults", () => {
    const made = fetchPlanFrom({ ...options, lanes: "all", tls: "1.2,1.3", pause: 0 }, objects);
    assert.deepEqual(made.lanes, ["h1", "h2", "h2-0rtt", "h3", "h3-0rtt"]);
    assert.deepEqual([made.repetitions, made.seed, made.timeout_s, made.pause_ms, made.verify], [9, 1, 30, 0, true]);
    assert.equal(made.name, "fetch 3 hosts");
    assert.equal(fetchPlanFrom(options, objects).pause_ms, 1000);
  });

  test("a plan's version of IP follows --connect where the plan asks for none", () => {
    const folder = tempFolder("trilane-fetch-plan-");
    const named = (document: object): string[] => {
      writeFileSync(join(folder, "plan.json"), JSON.stringify(document));
      return [join(folder, "plan.json")];
    };
    const connect = "[::1]:8443";
    const object = named(base);
    assert.deepEqual(fetchPlanFrom({ ...options, object }, []).ip, [4]);
    const made = fetchPlanFrom({ ...options, object, connect }, []);
    assert.deepEqual([made.ip, made.objects, made.repetitions], [[6], objects, 2]);
    const other = named({ ...base, connect: "192.0.2.1" });
    assert.deepEqual(fetchPlanFrom({ ...options, object: other, connect }, []).ip, [6]);
    const asking = named({ ...base, ip: [4] });
    assert.throws(() => fetchPlanFrom({ ...options, object: asking, connect }, []), /IPv4 is asked for, and \[::1\]/);
  });

  test("wrong words are named with the option", () => {
    assert.throws(() => fetchPlanFrom({ ...options, lanes: "h2,h4" }, objects), /--lanes must be of .* \(got "h4"\)/);
    assert.throws(() => fetchPlanFrom({ ...options, ip: "5" }, objects), /--ip must be of 4, 6/);
    assert.throws(() => fetchPlanFrom({ ...options, most: 2 }, objects), /3 objects, more than --most 2/);
    assert.throws(
      () => fetchPlanFrom({ ...options, link: ["10mbit/50ms"] }, objects),
      /^UserError: a lab reaches no network/,
    );
  });
});
