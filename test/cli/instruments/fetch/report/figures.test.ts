// Figures and tables of fetches: marks stand where the numbers are, each saves its numbers, and what there is not has its reason.
import assert from "node:assert/strict";
import { test } from "node:test";
import { countedCalls } from "../../../../../cli/instruments/fetch/answer/call_shares.ts";
import { discoveries } from "../../../../../cli/instruments/fetch/answer/discovery.ts";
import { hostEffects } from "../../../../../cli/instruments/fetch/answer/host_effects.ts";
import { callsTable, costSection } from "../../../../../cli/instruments/fetch/report/cost_section.ts";
import { cpuScatter } from "../../../../../cli/instruments/fetch/report/cpu_scatter.ts";
import { cdfOf, groupsOf, hostCdf, sizesOf } from "../../../../../cli/instruments/fetch/report/curves_of.ts";
import { hostsTable } from "../../../../../cli/instruments/fetch/report/fetch_report.ts";
import { variantClass } from "../../../../../cli/instruments/fetch/report/fetch_words.ts";
import { hostEffectsTable } from "../../../../../cli/instruments/fetch/report/host_effects_table.ts";
import { partsOf, phaseBars } from "../../../../../cli/instruments/fetch/report/phase_bars.ts";
import { quantityCdf } from "../../../../../cli/instruments/fetch/report/quantity_cdf.ts";
import { sizePlot } from "../../../../../cli/instruments/fetch/report/size_plot.ts";
import { summaryTable, variantRows } from "../../../../../cli/instruments/fetch/report/summary_table.ts";
import { systemsSection } from "../../../../../cli/instruments/fetch/report/systems_section.ts";
import { coloursCss } from "../../../../../extension/figures/colours.ts";
import { csvOf } from "../../../report/markup_text.ts";
import { failedOf, fetchedOf, pairOf } from "../answer/fetched.ts";

const times = (lane: "h2" | "h3", values: readonly number[], ip: 4 | 6 = 4) =>
  values.map((established_ms, block) => fetchedOf({ lane, ip, block, record: { established_ms } }));

test("a distribution's line has a step at each value; medians are in its legend, all values in its CSV", () => {
  const [group] = groupsOf([...times("h2", [40, 42, 44]), ...times("h3", [20, 21, 22])]);
  assert.ok(group);
  const data = cdfOf("established_ms", group);
  assert.ok(data);
  const { text } = quantityCdf(data);
  const path = /<g class="lane-h3"><path class="cdf" d="([^"]+)"/.exec(text)?.[1] ?? "";
  assert.equal([...path.matchAll(/V/g)].length, 3);
  assert.match(text, />h2 42\.0 ms<[\s\S]*>h3 21\.0 ms</);
  assert.match(text, /Share of fetches by connection establishment; n = 3 fetches at most/);
  assert.equal(csvOf(text).length, 7);
  assert.equal(csvOf(text)[1], "50mbit/20ms,h2,40,0.333");
});

test("versions of IP have a figure each, and lanes without a value are named", () => {
  const failed = failedOf({ lane: "h3", ip: 6 }, "connect", "refused");
  const groups = groupsOf([...times("h2", [1, 2]), ...times("h2", [3, 4], 6), failed]);
  assert.deepEqual(
    groups.map(({ of }) => of),
    [
      ["50mbit/20ms", "IPv4"],
      ["50mbit/20ms", "IPv6"],
    ],
  );
  const data = groups[1] && cdfOf("established_ms", groups[1]);
  assert.ok(data);
  assert.match(quantityCdf(data).text, /None of h3\./);
  assert.equal(cdfOf("established_ms", { of: ["x"], fetched: [failed] }), null);
});

test("TLS 1.2 is dotted in its lane's colour, unlike 0-RTT", () => {
  const css = coloursCss();
  assert.equal(variantClass({ lane: "h2", tls: "1.3" }, []), "lane-h2");
  const [replay, nginx] = [{ lane: "h2+replay" }, { lane: "h2+nginx" }] as const;
  assert.equal(variantClass({ ...nginx, tls: "1.3" }, [replay, nginx]), "lane-h2+nginx hue-h2 settings-1");
  assert.equal(variantClass({ lane: "h3-0rtt", tls: "1.3" }, []), "lane-h3-0rtt");
  const older = variantClass({ lane: "h2", tls: "1.2" }, []);
  assert.match(older, /hue-h2 settings-2$/);
  assert.match(css, /\.settings-2\{[^}]*--dash:2 3/);
  assert.match(css, /\.lane-h2-0rtt\{[^}]*--dash:6 3/);
});

const sized = [1000, 100_000, 10_000_000].flatMap((body_bytes, index) =>
  Array.from({ length: 6 }, (_, block) =>
    fetchedOf({
      ...{ object: `https://shop.example/${index}`, block },
      record: { body_bytes, download_ms: 50 + body_bytes / 5000 + block },
    }),
  ),
);

test("throughput by size: points in order over an axis in powers of ten, with whiskers", () => {
  const [group] = groupsOf(sized);
  const data = group && sizesOf("throughput_bps", group);
  assert.ok(data);
  const { text } = sizePlot(data);
  const [path = ""] = /<path class="cdf" d="M[^"]+"/.exec(text) ?? [];
  const x = [...path.matchAll(/[ML]([\d.]+) /g)].map(([, at]) => Number(at));
  assert.equal(x.length, 3);
  assert.ok(
    Math.abs((x[1] ?? 0) - (x[0] ?? 0) - ((x[2] ?? 0) - (x[1] ?? 0))) < 0.2,
    "hundredfold is as far both times",
  );
  assert.equal([...text.matchAll(/lanewhisker/g)].length, 3);
  assert.equal(csvOf(text).length, 4);
  assert.equal(sizesOf("throughput_bps", { of: ["x"], fetched: sized.slice(0, 6) }), null);
});

test("a table has its medians and intervals, how many failed, and the reason for what there is not", () => {
  const failed = failedOf({ lane: "h3", block: 9 }, "timeout", "no answer over QUIC");
  const { heads, rows } = variantRows([...times("h2", [40, 41, 42, 43, 44, 45]), failed]);
  const { text } = summaryTable({ name: "t", caption: "c", heads, rows, shown: ["established_ms", "server_cpu_ms"] });
  assert.match(text, /42\.5 ms<small>40 to 45 ms|42\.5 ms<small>40\.\d+ to 44\.\d+ ms/);
  assert.match(text, /<small>1 failed<\/small>/);
  assert.match(text, /title="no answer over QUIC">–/);
  assert.match(text, /title="only a lab’s server is measured">–/);
  assert.equal(csvOf(text).length, 3);
});

test("a host without HTTP/3 is a row with the reason", () => {
  const hosts = discoveries([
    fetchedOf({ record: { alt_svc: 'h3=":443"' } }),
    failedOf({ lane: "h3" }, "timeout", "no answer over QUIC"),
    fetchedOf({ object: "https://other.example/", lane: "h3" }),
  ]);
  const { text } = hostsTable(hosts, (address) => (address === "192.0.2.7" ? "AS64500 Example" : ""));
  assert.match(
    text,
    /Of 2 hosts, 1 was fetched from over HTTP\/3 and 1 was not; 2 offer it by Alt-Svc, 2 by an HTTPS record\./,
  );
  assert.match(text, /no<br><small>time-out: no answer over QUIC<\/small>/);
  assert.match(text, /AS64500 Example/);
  assert.match(csvOf(text)[1] ?? "", /^shop\.example,192\.0\.2\.7,no,"time-out: no answer over QUIC \(1\)",/);
});

test("what a server sent is text, never markup", () => {
  const hosts = discoveries([fetchedOf({ record: { alt_svc: '<script>alert(1)</script>"' } })]);
  assert.doesNotMatch(hostsTable(hosts, null).text, /<script>/);
});

test("a long Alt-Svc is cut in the table", () => {
  const hosts = discoveries([fetchedOf({ record: { alt_svc: `h3=":443", ${"x".repeat(4000)}` } })]);
  const cell = /<td title="([^"]*)">/.exec(hostsTable(hosts, null).text)?.[1] ?? "";
  assert.match(cell, /^h3=.*x…x+$/);
  assert.ok(cell.length < 600, `${cell.length} characters`);
});

const pair = { lane: { lane: "h3", tls: "1.3" }, over: { lane: "h2", tls: "1.2" } } as const;

test("hosts helped: a dot and whisker each; of a long list the two ends", () => {
  const fetched = Array.from({ length: 30 }, (_, host) =>
    Array.from({ length: 8 }, (_, block) =>
      pairOf(`https://h${host}.example/`, block, 100 + block, 60 + 3 * host + block, "1.2"),
    ).flat(),
  ).flat();
  const effects = hostEffects(fetched, pair, "download_ms");
  const { text } = hostEffectsTable(effects, null);
  assert.match(text, /<h3>h3 over h2 with TLS 1\.2: download time<\/h3>/);
  assert.match(text, /The 10 most helped and the 10 most hurt of 30/);
  assert.equal([...text.matchAll(/<svg class="dw (faster|slower|unclear)"/g)].length, 20);
  assert.equal(csvOf(text).length, 31);
});

test("hosts of which too few fetches are known are not told to show no difference", () => {
  const fetched = [1, 2, 3].flatMap((host) =>
    [0, 1, 2, 3].flatMap((block) => pairOf(`https://h${host}.example/`, block, 100 + block, 50, "1.2")),
  );
  const { text } = hostEffectsTable(hostEffects(fetched, pair, "download_ms"), null);
  assert.match(
    text,
    /Too few fetches to tell which of 3 hosts are helped or hurt by h3 over h2 with TLS 1\.2 in download time \(--runs 5\)\./,
  );
  assert.equal([...text.matchAll(/<td>too few fetches<\/td>/g)].length, 3);
  assert.doesNotMatch(text, /no difference/);
});

test("throughput against the CPU: a dot for each fetch, right for fast and up for dear", () => {
  const dots = [
    { object: "a", throughput_bps: 10e6, cpu_use: 0.1 },
    { object: "b", throughput_bps: 100e6, cpu_use: 0.5 },
  ];
  const { text } = cpuScatter({
    end: "client",
    of: ["50mbit/20ms"],
    series: [{ name: "h2", className: "lane-h2", dots }],
  });
  const marks = [...text.matchAll(/cx="([\d.]+)" cy="([\d.]+)" r="3\.5"/g)].map(([, x, y]) => [Number(x), Number(y)]);
  assert.equal(marks.length, 2);
  assert.ok((marks[1]?.[0] ?? 0) > (marks[0]?.[0] ?? 0) && (marks[1]?.[1] ?? 0) < (marks[0]?.[1] ?? 0));
});

const calls = [
  { name: "recvmmsg", calls: 100, errors: 0, seconds: 0.03 },
  { name: "epoll_wait", calls: 100, errors: 0, seconds: 0.01 },
];
const spent = {
  ...{ cpu_user_us: 4000, cpu_system_us: 2000, context_switches_voluntary: 60, context_switches_involuntary: 3 },
  ...{ cycles: null, cycles_missing: "the machine has no counter of cycles" },
};
const cost = { schema: "trilane/fetch-cost/1", server: spent, server_calls: null, unavailable: {} } as const;

test("system calls by share and by the MB; without any there is no table", () => {
  const counted = [
    fetchedOf({ lane: "h3", record: { body_bytes: 2_000_000 }, cost: { ...cost, client_calls: calls } }),
  ];
  const { text } = callsTable(countedCalls(counted)) ?? { text: "" };
  assert.match(
    text,
    /<code>recvmmsg<\/code><\/th><td class="num" data-sort="0\.75">75\.0 %<\/td><td class="num">50<\/td>/,
  );
  assert.equal(callsTable([]), null);
});

test("cost: columns that nothing has are left out, and said why", () => {
  const timed = Array.from({ length: 6 }, (_, block) =>
    fetchedOf({
      ...{ block, cost: { ...cost, client_calls: null } },
      record: { body_bytes: 2_000_000, cycles: null, unavailable: { cycles: "counting is not allowed" } },
    }),
  );
  const text = costSection(timed, [])?.text ?? "";
  assert.match(text, />CPU per MB, server</);
  assert.doesNotMatch(text, /<th[^>]*>Cycles, client</);
  assert.match(
    text,
    /Unavailable: Cycles, client: counting is not allowed\. Cycles, server: the machine has no counter of cycles\./,
  );
});

test("autonomous systems: a row for each and each lane, most hosts first; nothing without prefixes", () => {
  const systems = {
    systemOf: (address: string) => (address.startsWith("192.0.2.") ? "AS64500" : null),
    nameOf: () => "Example",
    prefixes: 7,
  };
  const of = (host: number, address: string) => fetchedOf({ object: `https://h${host}.example/`, record: { address } });
  const fetched = [of(1, "198.51.100.1"), of(2, "192.0.2.2"), of(3, "192.0.2.3")];
  const text = systemsSection(fetched, systems)?.text ?? "";
  assert.match(text, /AS64500 Example[\s\S]*in no prefix/);
  assert.match(text, /7 prefixes in the file/);
  assert.equal(systemsSection(fetched, null), null);
});

test("certificates are one distribution over hosts", () => {
  const fetched = [1, 2, 3].flatMap((host) =>
    (["h1", "h2"] as const).map((lane) =>
      fetchedOf({ object: `https://h${host}.example/`, lane, record: { certificate_bytes: 1000 * host } }),
    ),
  );
  assert.deepEqual(
    hostCdf("certificate_bytes", fetched)?.curves.map(({ values }) => values),
    [[1000, 2000, 3000]],
  );
  assert.equal(hostCdf("certificate_bytes", fetched.slice(0, 2)), null);
});

const inRoundTimes = {
  dns_ms: 10,
  connect_ms: 50,
  tls_ms: 50,
  established_ms: 100,
  first_byte_ms: 150,
  download_ms: 200,
};

test("a fetch's parts are without gaps: name, connection, TLS, first byte, download; QUIC and early data have no TLS of their own", () => {
  const recordOf = (of: Parameters<typeof fetchedOf>[0]) => partsOf(fetchedOf(of));
  assert.deepEqual(recordOf({ lane: "h2", record: inRoundTimes }), {
    dns: 10,
    connect: 50,
    ssl: 50,
    wait: 50,
    receive: 50,
  });
  const quic = { ...inRoundTimes, connect_ms: 60, tls_ms: null, established_ms: 60 };
  assert.deepEqual(recordOf({ lane: "h3", record: quic }), { dns: 10, connect: 60, ssl: 0, wait: 90, receive: 50 });
  const early = { ...inRoundTimes, connect_ms: 60, tls_ms: null, established_ms: 1 };
  assert.deepEqual(recordOf({ lane: "h3-0rtt", record: early }), {
    dns: 10,
    connect: 1,
    ssl: 0,
    wait: 149,
    receive: 50,
  });
  assert.equal(partsOf(failedOf({ lane: "h2" }, "connect", "refused")), null);
});

test("stacked bars are as long as the parts' medians, one after the other, and have their data", () => {
  const of = [1, 2, 3].map((block) =>
    fetchedOf({ lane: "h2", block, record: { ...inRoundTimes, download_ms: 150 + 100 * block } }),
  );
  const { text } = phaseBars(variantRows(of).rows) ?? assert.fail("nothing drawn");
  const boxes = [...text.matchAll(/class="ph-(\w+)" x="([\d.]+)" y="40" width="([\d.]+)"/g)].map(
    ([, key, x, wide]) => ({
      ...{ key, x: Number(x), wide: Number(wide) },
    }),
  );
  assert.deepEqual(
    boxes.map(({ key }) => key),
    ["dns", "connect", "ssl", "wait", "receive"],
  );
  boxes.forEach(({ x }, index) => {
    const before = boxes[index - 1];
    if (before) assert.ok(Math.abs(before.x + before.wide - x) < 0.2, `${index}: no gap`);
  });
  const [dns, , , , receive] = boxes.map(({ wide }) => wide);
  assert.ok(Math.abs((receive ?? 0) / (dns ?? 1) - 20) < 0.3, "200 ms beside 10 ms");
  assert.deepEqual(csvOf(text), [
    "over,fetches,DNS_ms,connect_ms,TLS_ms,first_byte_ms,download_ms",
    "h2,3,10,50,50,50,200",
  ]);
  assert.equal(phaseBars([]), null);
});
