// cli/link/flows: what the words of a flow mean, that they come back in one form, and that what is wrong with them is one line
// with its place, its value and what is accepted.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  formatFlow,
  formatSize_bytes,
  formatTime_ms,
  mostFlows,
  parseFlow,
  readSize_bytes,
} from "../../../../cli/link/flows/flow_words.ts";
import { countFlows, mixWords, readMix, refuseImpossible, refuseRestless } from "../../../../cli/link/flows/mix.ts";
import { kernelControllers, quicControllers } from "../../../../cli/link/flows/transports.ts";
import type { Flow } from "../../../../schemas/generated/flow.ts";
import { schemaErrors } from "../../../schemas/schema_errors.ts";
import { tempFolder } from "../../../temp_folder.ts";

const kernel = ["reno", "cubic", "bbr"];
const plain: Flow = {
  transport: "tcp",
  congestion: "cubic",
  direction: "down",
  start_s: 0,
  for_s: null,
  size_bytes: null,
  count: 1,
};

const meanings: [words: string, flow: Partial<Flow>, canonical: string][] = [
  ["tcp", {}, "tcp:cubic"],
  ["quic:cubic-n2", { transport: "quic", congestion: "cubic-n2" }, "quic:cubic-n2"],
  [" tls:reno ", { transport: "tls", congestion: "reno" }, "tls:reno"],
  ["4*tcp:bbr@5s,up", { congestion: "bbr", start_s: 5, direction: "up", count: 4 }, "4*tcp:bbr@5s,up"],
  ["tcp@0.5s", { start_s: 0.5 }, "tcp:cubic@500ms"],
  ["tcp@2min,down", { start_s: 120 }, "tcp:cubic@120s"],
  ["tcp@1500ms", { start_s: 1.5 }, "tcp:cubic@1.5s"],
  ["tcp@0s,size=8MB,for=30s", { size_bytes: 8_000_000, for_s: 30 }, "tcp:cubic,for=30s,size=8MB"],
  [
    "quic:bbr2,size=1234567B",
    { transport: "quic", congestion: "bbr2", size_bytes: 1_234_567 },
    "quic:bbr2,size=1234.567kB",
  ],
  [
    "tls:reno@1s,up,paced",
    { transport: "tls", congestion: "reno", start_s: 1, paced: true, direction: "up" },
    "tls:reno@1s,paced,up",
  ],
  [
    "quic:cubic-n1,up,migrate=1.5s",
    { transport: "quic", congestion: "cubic-n1", migrate_s: 1.5, direction: "up" },
    "quic:cubic-n1,migrate=1.5s,up",
  ],
  ["1000*tcp,size=1TB", { count: 1000, size_bytes: 1e12 }, "1000*tcp:cubic,size=1TB"],
];
for (const [words, change, canonical] of meanings)
  test(`${JSON.stringify(words)} is ${canonical}`, () => {
    const flow = parseFlow(words, kernel);
    assert.deepEqual(flow, { ...plain, ...change });
    assert.equal(schemaErrors("flow", flow), null);
    assert.equal(formatFlow(flow), canonical);
    assert.deepEqual(parseFlow(canonical, kernel), flow);
  });

test("whatever a flow is, its one form means it again", () => {
  let tried = 0;
  for (const transport of ["tcp", "tls", "quic"] as const)
    for (const direction of ["down", "up"] as const)
      for (const start_s of [0, 0.001, 0.999, 59.999, 86_400])
        for (const for_s of [null, 0.001, 1.001, 86_400])
          for (const size_bytes of [null, 1, 999, 1000, 1001, 8_000_000, 8_000_001, 999_999_999_999])
            for (const count of [1, 2, mostFlows]) {
              const flow = { ...plain, transport, direction, start_s, for_s, size_bytes, count };
              assert.deepEqual(parseFlow(formatFlow(flow), kernel), flow);
              tried++;
            }
  assert.equal(tried, 3 * 2 * 5 * 4 * 8 * 3);
});

const wrong: [words: string, message: string][] = [
  ["", 'flow "", character 1: no transport: use tcp, tls, quic'],
  ["tpc:cubic", 'flow "tpc:cubic", character 1: transport "tpc": use tcp, tls, quic'],
  ["4*sctp", 'flow "4*sctp", character 3: transport "sctp": use tcp, tls, quic'],
  [
    "tcp:vegas@5s",
    'flow "tcp:vegas@5s", character 5: controller "vegas": for tcp this kernel offers reno, cubic, bbr: use one of them, or load it (`modprobe tcp_vegas` as root)',
  ],
  ["tcp:", 'flow "tcp:", character 5: no controller: for tcp use reno, cubic, bbr'],
  ["tcp:x;rm", 'flow "tcp:x;rm", character 5: controller "x;rm": for tcp use reno, cubic, bbr'],
  [
    "2*quic:bbr",
    'flow "2*quic:bbr", character 8: controller "bbr": for quic use cubic, reno, bbr2, cubic-n1, cubic-n2, cubic-n3, cubic-n4, gcc, inter-arrival-2013, sprout-ewma, sprout-ewma-acks',
  ],
  [
    "tcp:sprout-ewma",
    'flow "tcp:sprout-ewma", character 5: controller "sprout-ewma": is only for QUIC: use quic:sprout-ewma, or for tcp reno, cubic, bbr',
  ],
  [
    "quic,up,paced",
    'flow "quic,up,paced", character 9: setting "paced": QUIC flows are paced as their controller wants: leave it out',
  ],
  [
    "tcp,paced,paced",
    'flow "tcp,paced,paced", character 11: setting "paced": says again what stands before it: give it once',
  ],
  [
    "tcp,migrate=5s",
    'flow "tcp,migrate=5s", character 13: time "5s": a tcp connection ends with its address: leave migrate= out, or use quic',
  ],
  ["quic,migrate=99ms", 'flow "quic,migrate=99ms", character 14: time "99ms": must be from 100ms to 86400s'],
  ["quic,migrate=", 'flow "quic,migrate=", character 14: no time: write a number with its unit, as 5s'],
  [
    "quic,migrate=1s,migrate=1s",
    'flow "quic,migrate=1s,migrate=1s", character 17: setting "migrate=1s": says again what stands before it: give it once',
  ],
  ["0*tcp", 'flow "0*tcp", character 1: count "0": must be from 1 to 1000'],
  ["1001*tcp", 'flow "1001*tcp", character 1: count "1001": must be from 1 to 1000'],
  ["*tcp", 'flow "*tcp", character 1: no count: must be a whole number from 1 to 1000'],
  ["1.5*tcp", 'flow "1.5*tcp", character 1: count "1.5": must be a whole number from 1 to 1000'],
  ["tcp@", 'flow "tcp@", character 5: no start: write a number with its unit, as 5s'],
  ["tcp@5", 'flow "tcp@5", character 5: start "5": has no unit: use ms, s, min, h'],
  ["tcp@5d", 'flow "tcp@5d", character 5: start "5d": has an unknown unit: use ms, s, min, h'],
  ["tcp@-5s", 'flow "tcp@-5s", character 5: start "-5s": must be from 0s to 86400s'],
  ["tcp@0.0005s", 'flow "tcp@0.0005s", character 5: start "0.0005s": is no whole number of milliseconds'],
  ["tcp,for=0s", 'flow "tcp,for=0s", character 9: duration "0s": ends before it starts: give at least 1ms'],
  ["tcp@9s,for=-1s", 'flow "tcp@9s,for=-1s", character 12: duration "-1s": ends before it starts: give at least 1ms'],
  ["tcp,for=99999s", 'flow "tcp,for=99999s", character 9: duration "99999s": must be at most 86400s'],
  ["tcp,size=0B", 'flow "tcp,size=0B", character 10: size "0B": must be from 1B to 1TB'],
  ["tcp,size=2TB", 'flow "tcp,size=2TB", character 10: size "2TB": must be from 1B to 1TB'],
  ["tcp,size=0.5B", 'flow "tcp,size=0.5B", character 10: size "0.5B": is no whole number of bytes'],
  ["tcp,size=8MiB", 'flow "tcp,size=8MiB", character 10: size "8MiB": has an unknown unit: use B, kB, MB, GB, TB'],
  [
    "tcp,left",
    'flow "tcp,left", character 5: setting "left": use paced, migrate=TIME, down, up, for=TIME or size=SIZE; count, controller and @START stand before',
  ],
  [
    "tcp,",
    'flow "tcp,", character 5: no setting: use paced, migrate=TIME, down, up, for=TIME or size=SIZE; count, controller and @START stand before',
  ],
  ["tcp,up,down", 'flow "tcp,up,down", character 8: setting "down": says again what stands before it: give it once'],
  [
    "tcp,for=1s,for=1s",
    'flow "tcp,for=1s,for=1s", character 12: setting "for=1s": says again what stands before it: give it once',
  ],
];
for (const [words, message] of wrong)
  test(`${JSON.stringify(words)} is refused: ${message}`, () => {
    assert.throws(() => parseFlow(words, kernel), { name: "UserError", message });
  });

test("whatever is written, its error is one line that a terminal can print", () => {
  for (const words of ["tcp\n,up", "t\u001b[31m", "tcp,\u009b", `tcp,${"x".repeat(5000)}`, "tcp@5s@6s", "\ud800*tcp"])
    assert.throws(
      () => parseFlow(words, kernel),
      (error: Error) => /^[^\p{Cc}]*$/u.test(error.message) && error.message.length < 300,
    );
});

test("a plan of another machine may name a TCP controller that this kernel lacks", () => {
  assert.equal(parseFlow("tcp:vegas", null).congestion, "vegas");
});

test("quic takes the controllers that servers take for pages", () => {
  assert.deepEqual(quicControllers().slice(0, 3), ["cubic", "reno", "bbr2"]);
  for (const congestion of quicControllers())
    assert.equal(parseFlow(`quic:${congestion}`, kernel).congestion, congestion);
});

test("what the kernel offers is read; a kernel that does not say is no error", () => {
  const folder = tempFolder("trilane-controllers-");
  const path = join(folder, "available");
  writeFileSync(path, "reno cubic\n");
  assert.deepEqual(kernelControllers(path), ["reno", "cubic"]);
  assert.equal(kernelControllers(join(folder, "missing")), null);
  assert.ok(kernelControllers()?.includes("reno"), "every kernel has reno");
});

test("times and sizes have one form each", () => {
  assert.deepEqual([0, 1, 999, 1000, 90_000].map(formatTime_ms), ["0s", "1ms", "999ms", "1s", "90s"]);
  assert.deepEqual([1, 1500, 1_000_001, 3e9].map(formatSize_bytes), ["1B", "1.5kB", "1000.001kB", "3GB"]);
  assert.deepEqual(readSize_bytes("0.3MB"), { value: 300_000 });
});

const flows = (...words: string[]) => readMix(words, kernel);
const impossible: [string, Flow[], string][] = [
  [
    "a flow that starts at the run's end",
    flows("tcp", "quic@60s"),
    "flow quic:cubic@60s starts when the run has ended, at 60s: start it earlier, or run for longer",
  ],
  [
    "a flow that lasts beyond it",
    flows("tcp@31s,for=30s"),
    "flow tcp:cubic@31s,for=30s lasts beyond the run's end, at 60s: leave for= out to have it run to the end, or run for longer",
  ],
  [
    "a flow that would move after its end",
    flows("quic@50s,migrate=10s"),
    "flow quic:cubic@50s,migrate=10s ends before it first moves: move earlier, or run for longer",
  ],
  [
    "a flow that moves more often than it has connection IDs",
    flows("quic,migrate=100ms"),
    "flow quic:cubic,migrate=100ms moves 600 times: at most 500: move less often",
  ],
  ["one flow too many", flows("999*tcp", "2*quic"), "1001 flows at once: a run takes at most 1000"],
];
for (const [name, mix, message] of impossible)
  test(`${name}: refused in one line`, () => {
    assert.throws(() => refuseImpossible(mix, 60), { name: "UserError", message });
  });

test("a flow that would move again before it has left its path is refused in one line", () => {
  const links = [
    { link: "10mbit/20ms", link_profile: { rtt_ms: 20 } },
    { link: "10mbit/100ms", link_profile: { rtt_ms: 100 } },
  ];
  refuseRestless(flows("tcp", "quic,migrate=400ms"), links);
  refuseRestless(flows("quic,migrate=100ms"), links.slice(0, 1));
  assert.throws(() => refuseRestless(flows("quic,migrate=399ms"), links), {
    name: "UserError",
    message:
      "flow quic:cubic,migrate=399ms moves more often than every 4 round trips of 10mbit/100ms: write migrate=400ms or longer",
  });
});

test("a mix that just fits is taken, and named by its flows", () => {
  const mix = flows("999*tcp@59999ms", "quic@30.1s,for=29.9s");
  refuseImpossible(mix, 60);
  assert.equal(countFlows(mix), 1000);
  assert.equal(mixWords(mix), "999*tcp:cubic@59.999s + quic:cubic@30.1s,for=29.9s");
});
