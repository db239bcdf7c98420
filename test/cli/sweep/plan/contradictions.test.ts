// cli/sweep/plan/contradictions.ts: each way in which a plan contradicts itself is one line that names it, and its neighbours that
// are no contradiction pass.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fewestPrecise, firstLook, lastLook } from "../../../../cli/results/stats/sequential.ts";
import { refuseTooShort, refuseVideoContradictions } from "../../../../cli/sweep/plan/contradictions.ts";
import type { PageSize } from "../../../../cli/sweep/plan/estimate.ts";
import { cellsOf, planOf } from "../../../../cli/sweep/plan/plan.ts";
import { tempFolder } from "../../../temp_folder.ts";

const least = { name: "x", pages: ["page"], lanes: ["h1", "h3"], links: ["1mbit/50ms"], repetitions: 7 };
const plan = (change: object) => planOf({ ...least, ...change }, "x");

const wrong: [string, object, RegExp][] = [
  ["two lanes compared, one there", { lanes: ["h1"], until: { decided_percent: 3 } }, /decided_percent compares lanes/],
  [
    "less than the first look",
    { repetitions: firstLook - 1, until: { decided_percent: 3 } },
    /first looks after 5 repetitions/,
  ],
  [
    "too few for medians",
    { repetitions: fewestPrecise - 1, until: { interval_percent: 3 } },
    /first looks after 10 repetitions/,
  ],
  [
    "more than the last look",
    { repetitions: lastLook + 1, until: { decided_percent: 3 } },
    new RegExp(`last looks after ${lastLook} repetitions`),
  ],
  ["settings of no lane", { settings: { fast: {} } }, /settings\.fast is of no lane: .* add lane h2:fast$/],
  ["a lane whose settings are not there", { lanes: ["h1:fast"] }, /h1:fast names settings that the plan has not/],
  ["settings of what is no lane", { lanes: ["h9:fast"], settings: { fast: {} } }, /h9:fast is no lane with settings/],
  [
    "settings of TCP for QUIC alone",
    { lanes: ["h1", "h3:fast"], settings: { fast: { tcp: { pacing: true } } } },
    /settings\.fast\.tcp is of lanes over TCP/,
  ],
  [
    "one lane under two labels",
    { lanes: ["h2", "h2:same"], settings: { same: { preset: "stock" } } },
    /h2:same has the same settings as h2: name one of them$/,
  ],
  ["a warm cache without a repeat visit", { warm_cache: true }, /warm_cache is of repeat visits/],
  [
    "TLS 1.2 and early data",
    { lanes: ["h2-0rtt"], serving: { tls: "1.2" } },
    /h2-0rtt needs TLS 1\.3: .* "both" or "1\.3"$/,
  ],
  ["TLS over TCP without TCP", { lanes: ["h3"], serving: { tls: "1.2" } }, /serving\.tls is of TLS over TCP/],
  ["TLS where there is none", { lanes: ["h1-clear"], serving: { tls: "1.3" } }, /serving\.tls is of TLS over TCP/],
  [
    "TCP tuned without TCP",
    { lanes: ["h3", "h3-0rtt"], serving: { transport: { tcp: { pacing: true } } } },
    /serving\.transport\.tcp is of lanes over TCP/,
  ],
  [
    "QUIC tuned without QUIC",
    { lanes: ["h1", "h2"], serving: { transport: { quic: { congestion_control: "reno" } } } },
    /serving\.transport\.quic is of lanes over QUIC/,
  ],
  [
    "a rate that nothing paces",
    { lanes: ["h3"], serving: { transport: { quic: { congestion_control: "gcc", pacing: false } } } },
    /serving\.transport\.quic: gcc sets the rate of pacing, which is off: turn pacing on, or take another controller$/,
  ],
  ["two queues that come to one", { links: ["1mbit/50ms", "1mbit/50ms,queue=2bdp"] }, /is the same as 1mbit\/50ms/],
  ["one queue in two units", { links: ["10mbit/50ms", "10mbit/50ms,queue=62500B"] }, /is the same as 10mbit\/50ms/],
  ["two seeds of no chance", { links: ["1mbit/50ms", "1mbit/50ms,seed=2"] }, /is the same as 1mbit\/50ms/],
  [
    "dilated time, as earlier versions had it",
    { dilate: 2 },
    /dilate: this version cannot slow time down, and loads count on a busy machine without: take it out$/,
  ],
  [
    "cross traffic and two navigations",
    { cross_traffic: { flows: ["tcp"] }, lanes: ["h3", "h3-0rtt"] },
    /cross_traffic is of one navigation, and lane h3-0rtt has two: take one of them out$/,
  ],
  [
    "cross traffic of nothing known",
    { cross_traffic: { flows: ["udp"] } },
    /^plan x: flow "udp", character 1: transport/,
  ],
  [
    "cross traffic that moves more often than its link lets it",
    { cross_traffic: { flows: ["quic,migrate=100ms"] } },
    /^plan x: flow quic:cubic,migrate=100ms moves more often than every 4 round trips of 1mbit\/50ms: write migrate=200ms or longer$/,
  ],
  ["too much cross traffic", { cross_traffic: { flows: ["999*tcp", "2*quic"] } }, /^plan x: 1001 flows at once/],
  [
    "cross traffic after every load",
    { cross_traffic: { flows: ["tcp@65s"] }, timeout_s: 60 },
    /^plan x: cross_traffic: flow tcp:cubic@65s starts when every load has ended, at 65 s at the latest: start it earlier$/,
  ],
  [
    "a film of a video",
    { pages: [{ synth: "video-30s-2000k" }], films: 1 },
    /video-30s-2000k is too long to be filmed: take it or films out$/,
  ],
  [
    "Speed Index of a video",
    { pages: [{ synth: "video-30s-2000k" }], metric: "si" },
    /video-30s-2000k is too long to be filmed: take another metric than si$/,
  ],
  [
    "a video's metric without a video",
    { pages: [{ synth: "carlucci-small" }], metric: "startup" },
    /metric startup is of videos, and no page plays one/,
  ],
  ["a link twice", { links: ["1mbit/50ms", "1000kbit/50ms"] }, /link 1mbit\/50ms stands there twice: name it once$/],
];
for (const [name, change, message] of wrong)
  test(`${name}: refused in one line`, () => {
    assert.throws(
      () => plan(change),
      (error: Error) =>
        error.name === "UserError" && /^plan x: [^\n]*: [^\n]+$/.test(error.message) && message.test(error.message),
    );
  });

test("what some lane has is no contradiction", () => {
  plan({ until: { interval_percent: 3 }, lanes: ["h1"], repetitions: 10 });
  plan({ warm_cache: true, lanes: ["h1", "h3-0rtt"] });
  plan({ serving: { tls: "1.2" } });
  plan({ serving: { tls: "1.2" }, lanes: ["h3-altsvc"] });
  plan({ serving: { transport: { tcp: { pacing: true } } } });
  plan({ serving: { transport: { quic: { pacing: false } } } });
  // Settings of both, as a preset has them.
  plan({ serving: { transport: { preset: "tuned" } }, lanes: ["h3"] });
  plan({ links: ["1mbit/50ms,loss=1%", "1mbit/50ms,loss=1%,seed=2", "10mbit/50ms", "10mbit/50ms,queue=2bdp"] });
});

test("two files of the same bytes are one trace, others are not", () => {
  const folder = tempFolder("trilane-same-");
  const links = ["a", "b"].map((name) => `trace=${join(folder, name)},rtt=50ms`);
  writeFileSync(join(folder, "a"), "1\n2\n3\n");
  writeFileSync(join(folder, "b"), "1\n2\n4\n");
  plan({ links });
  writeFileSync(join(folder, "b"), "1\n2\n3\n");
  assert.throws(() => plan({ links }), /link .*b,rtt=50ms.* is the same as .*a/);
});

test("a video has its clip's length beside the time-out, and needs what it plays at least", () => {
  const check = (synth: string, timeout_s: number) => {
    const asked = plan({ pages: [{ synth }], links: ["500kbit/50ms"], timeout_s });
    const size = { exchanges: 1, body_bytes: 1e9, source: `synth: ${synth}` };
    refuseTooShort(asked, cellsOf(asked), new Map([[synth, size]]));
  };
  // 2.096 Mbit/s over 0.5: 126 s for 30.
  check("video-30s-2000k", 96);
  assert.throws(
    () => check("video-30s-2000k", 90),
    /no load of video-30s-2000k over .* ends within 120 s: raise .* above 96,/,
  );
  check("video-30s-300k-2000k", 1);
});

test("which recordings play videos is known once they are there: what contradicts that is refused then", () => {
  const size = { exchanges: 1, body_bytes: 1e6 };
  const sizes = new Map<string, PageSize>([
    ["lacking", { ...size, source: "synth: video-30s-2000k" }],
    ["video-blog", { ...size, source: "live: https://video.test/" }],
    ["file", size],
  ]);
  const check = (change: object) => refuseVideoContradictions(plan(change), sizes);
  check({ pages: ["lacking"], metric: "startup" });
  check({ pages: ["video-blog", "lacking"], metric: "viewing" });
  // Another machine's page may play one.
  check({ pages: ["video-blog", "elsewhere"], metric: "startup" });
  check({ pages: ["video-blog", "file"], films: 1, metric: "si" });
  for (const [change, message] of [
    [{ pages: ["lacking"], films: 1 }, /: lacking is too long to be filmed: take it or films out$/],
    [{ pages: ["lacking"], metric: "si" }, /: lacking is too long to be filmed: take another metric than si$/],
    [{ pages: ["video-blog", "file"], metric: "startup" }, /: metric startup is of videos, and no page plays one: /],
  ] as const)
    assert.throws(() => check(change), message);
});

test("a recorded video, too, has its clip's length beside the time-out", () => {
  const sizes = new Map([["lacking", { exchanges: 1, body_bytes: 1e6, source: "synth: video-30s-2000k" }]]);
  const asked = plan({ pages: ["lacking"], links: ["500kbit/2s"], timeout_s: 1 });
  refuseTooShort(asked, cellsOf(asked), sizes);
});

test("a time in which no load can end is refused once the pages are known", () => {
  const sizes = new Map([["object-1MB", { exchanges: 1, body_bytes: 1e6 }]]);
  const check = (change: object) => {
    const asked = plan({ pages: [{ synth: "object-1MB" }], links: ["1mbit/50ms"], ...change });
    refuseTooShort(asked, cellsOf(asked), sizes);
  };
  check({});
  check({ timeout_s: 9, time_limit_s: 9 });
  assert.throws(
    () => check({ timeout_s: 8 }),
    /^UserError: plan x: no load of object-1MB over 1mbit\/50ms ends within 8 s: raise timeout_s \(--timeout\) above 9, /,
  );
  assert.throws(() => check({ time_limit_s: 1 }), /^UserError: plan x: time_limit_s 1 is over before one load is, /);
  // Of a recording the load event may not wait for all; the round trip it does.
  check({ pages: ["object-1MB"], timeout_s: 1 });
  assert.throws(
    () => check({ pages: ["object-1MB"], timeout_s: 0.04 }),
    /no load of object-1MB .* ends within 0\.04 s/,
  );
});
