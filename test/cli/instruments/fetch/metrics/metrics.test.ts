// Numbers of a fetch from its record, names of what it was fetched over, and classes of sizes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hostOf, variantName, variantsOf } from "../../../../../cli/instruments/fetch/metrics/fetched.ts";
import { quantities } from "../../../../../cli/instruments/fetch/metrics/quantities.ts";
import { objectSizes, orderedClasses, sizeClasses } from "../../../../../cli/instruments/fetch/metrics/size_class.ts";
import { failedOf, fetchedOf } from "../answer/fetched.ts";

const spent = {
  ...{ cpu_user_us: 4000, cpu_system_us: 2000, context_switches_voluntary: 60, context_switches_involuntary: 3 },
  ...{ cycles: 5, cycles_missing: null },
};
const cost = {
  schema: "trilane/fetch-cost/1",
  server: spent,
  client_calls: null,
  server_calls: null,
  unavailable: {},
} as const;

test("throughput is the body over the whole time, CPU user and system together", () => {
  const fetched = fetchedOf({
    cost,
    record: { body_bytes: 1_000_000, download_ms: 100, cpu_user_us: 3000, cpu_system_us: 1000 },
  });
  const of = (name: keyof typeof quantities): number | null => quantities[name].value(fetched);
  assert.equal(of("throughput_bps"), 80e6);
  assert.equal(of("client_cpu_ms"), 4);
  assert.equal(of("client_cpu_per_mb_ms"), 4);
  assert.equal(of("client_cpu_use"), 0.04);
  assert.equal(of("server_cpu_ms"), 6);
  assert.equal(of("server_cpu_per_mb_ms"), 6);
  assert.equal(of("server_switches"), 63);
  assert.equal(of("server_cycles"), 5);
});

test("a number that there is not is null, never 0", () => {
  assert.equal(quantities.server_cpu_ms.value(fetchedOf()), null);
  assert.equal(quantities.established_ms.value(failedOf({}, "connect", "refused")), null);
  // Too small for a cost by the MB.
  assert.equal(quantities.client_cpu_per_mb_ms.value(fetchedOf({ record: { body_bytes: 1000 } })), null);
  assert.equal(quantities.client_cycles.value(fetchedOf({ record: { cycles: null } })), null);
});

test("of an object that broke off no number is its own; its connection's are", () => {
  const record = {
    ...{ connect_ms: 20, first_byte_ms: 60, download_ms: 100, body_bytes: 1e6, rtt_min_ms: 20, cycles: 7 },
    ...{ cpu_user_us: 900, cpu_system_us: 400, context_switches_voluntary: 9, context_switches_involuntary: 0 },
  };
  const whole = fetchedOf({ cost, record });
  const cut = fetchedOf({ cost, record: { ...record, error: { stage: "response", reason: "it ended early" } } });
  for (const [name, { of, value }] of Object.entries(quantities)) {
    assert.notEqual(value(whole), null, name);
    assert.equal(value(cut), of === "host" ? value(whole) : null, name);
  }
});

test("what was fetched over comes in one order, whichever came first", () => {
  const mixed = [
    { lane: "h3", tls: "1.3", ip: 4 },
    { lane: "h1", tls: "1.3", ip: 6 },
    { lane: "h1", tls: "1.3", ip: 4 },
    { lane: "h1", tls: "1.2", ip: 4 },
    { lane: "h3", tls: "1.3", ip: 4 },
  ] as const;
  const names = variantsOf(mixed).map(({ lane, tls, ip }) => `${lane} ${tls} ${ip}`);
  assert.deepEqual(names, ["h1 1.2 4", "h1 1.3 4", "h1 1.3 6", "h3 1.3 4"]);
});

test("names say what differs; QUIC has no TLS of its own", () => {
  const all = [
    { lane: "h1", tls: "1.2", ip: 4 },
    { lane: "h1", tls: "1.3", ip: 6 },
    { lane: "h3", tls: "1.3", ip: 4 },
  ] as const;
  assert.deepEqual(
    all.map((each) => variantName(each, all)),
    ["h1, TLS 1.2, IPv4", "h1, TLS 1.3, IPv6", "h3, IPv4"],
  );
  assert.equal(variantName(all[2], [all[2]]), "h3");
  const quic = [
    { lane: "h3", tls: "1.2", ip: 4 },
    { lane: "h3", tls: "1.3", ip: 4 },
  ] as const;
  assert.equal(variantsOf(quic).length, 1);
  assert.equal(hostOf("https://shop.example:8443/x"), "shop.example:8443");
});

const sized = (sizes: readonly number[]) =>
  sizes.map((body_bytes, index) => fetchedOf({ object: `https://shop.example/${index}`, record: { body_bytes } }));

test("few sizes stand each by itself, many in decades, the smallest first", () => {
  const few = sizeClasses(objectSizes(sized([1_000_000, 1000, 1000])));
  assert.deepEqual(
    orderedClasses(few).map(({ name }) => name),
    ["1 kB", "1 MB"],
  );
  const many = sizeClasses(
    objectSizes(sized([10, 999, 1000, 9999, 10_000, 99_999, 100_000, 1e6, 9_999_999, 1e7, 99_999_999, 1e8, 3e8])),
  );
  assert.deepEqual(
    [...many.values()].map(({ name }) => name),
    [
      ...["below 1 kB", "below 1 kB", "1 kB to 10 kB", "1 kB to 10 kB", "10 kB to 100 kB", "10 kB to 100 kB"],
      ...["100 kB to 1 MB", "1 MB to 10 MB", "1 MB to 10 MB", "10 MB to 100 MB", "10 MB to 100 MB"],
      ...["100 MB and more", "100 MB and more"],
    ],
  );
  assert.equal(objectSizes([failedOf({}, "connect", "refused")]).size, 0);
});
