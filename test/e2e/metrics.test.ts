// What a load tells of where its time went: CPU time, long tasks, and the split into network and computation, on pages whose
// costs are known. Bounds are physical ones, and wide where a busy machine adds to what is measured.
// Wide: cli/load, extension/capture, native-host/replay, shaper.
// Beside others: all but tests of time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLink } from "../../cli/link/link.ts";
import type { Lane, LoadRequest, PageLoad } from "../../cli/load/load.ts";
import { type CriticalPath, criticalPath } from "../../cli/load/metrics/critical_path.ts";
import { optimalOfLoad_ms } from "../../cli/load/metrics/optimal_load.ts";
import { settleServing } from "../../cli/load/serving/serving.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import { type Calm, timedTest } from "../calm_machine.ts";
import { tempFolder } from "../temp_folder.ts";
import { calmLoad } from "./calm_load.ts";
import { recordSite } from "./site.ts";
import { untimedLoad } from "./untimed_load.ts";

const home = tempFolder("trilane-metrics-");

const page = "https://page.test/";

interface Told {
  readonly load: PageLoad;
  readonly facts: PageLoad["log"]["_trilane"];
  readonly path: CriticalPath;
  readonly plt_ms: number;
}

/** `calm`: of a test of time. */
async function told(recording: LoadRequest["recording"], lane: Lane, link: string, calm?: Calm): Promise<Told> {
  const options = { home, recording, lane, link: parseLink(link), timeout_ms: 30_000 };
  const load = await (calm ? calmLoad(calm, options) : untimedLoad(options));
  const facts = load.log._trilane;
  assert.equal(facts.status, "valid", facts.reasons.join("; "));
  const path = criticalPath(load);
  assert.ok(path && facts.metrics.plt_ms !== null);
  return { load, facts, path, plt_ms: facts.metrics.plt_ms };
}

/** A script that computes as much as takes so much CPU time here, however long it waits for a CPU meanwhile. */
function computing(cpu_ms: number): string {
  const script = (turns: number) =>
    `{ let x = 1; for (let i = 0; i < ${turns}; i++) x = Math.imul(x ^ i, 16777619); globalThis.computed = x; }`;
  const tried = 1e8;
  const before = process.cpuUsage();
  new Function(script(tried))();
  const { user, system } = process.cpuUsage(before);
  return script(Math.ceil((tried * cpu_ms * 1000) / (user + system)));
}

const burn = (burnt_ms: number) => `const end = performance.now() + ${burnt_ms}; while (performance.now() < end);`;

test("a script that computes shows as the browser's CPU time, as a long task, and as computation", async () => {
  const [burnt_ms, cpu_ms] = [1000, 800];
  const site = await recordSite(home, "burn", [
    { url: page, body: "<!doctype html><meta charset=utf-8><p>text<script src=/burn.js></script>" },
    { url: `${page}burn.js`, type: "text/javascript", body: burn(burnt_ms) + computing(cpu_ms) },
  ]);
  const { facts, path, plt_ms } = await told(site, "h2", "20mbit/20ms");
  const { cpu, long_tasks, metrics } = facts;
  assert.ok(cpu, "the system tells CPU times");
  const burning = long_tasks?.find(({ duration_ms }) => duration_ms >= burnt_ms);
  assert.ok(burning && burning.start_ms < plt_ms, JSON.stringify(long_tasks));
  assert.ok(path.computation_ms >= burnt_ms && path.network_ms < plt_ms - burnt_ms, JSON.stringify(path));
  assert.ok(metrics.cls === 0 && metrics.tbt_ms !== undefined);
  // It cannot have taken more than it had; the browser's engine may be of another version than this one.
  assert.ok(cpu.load.browser_ms <= plt_ms * 1.1 * facts.environment.cpus, JSON.stringify({ cpu, plt_ms }));
  assert.ok(cpu.load.browser_ms >= cpu_ms / 2, JSON.stringify({ cpu, cpu_ms }));
  assert.ok(cpu.all.browser_ms > cpu.load.browser_ms);
  // The same by another way: the shaper counts its own time.
  const shaper_ms = (facts.shaper?.cpu_ns ?? 0) / 1e6;
  assert.ok(cpu.all.shaper_ms > 0 && cpu.all.shaper_ms <= shaper_ms + 10, `${cpu.all.shaper_ms} of ${shaper_ms} ms`);
  assert.ok(cpu.load.server_ms > 0 && cpu.load.server_ms < cpu.all.server_ms);
});

// One object of 1 MB after a page of some bytes. Round trips: name, handshake (TCP and TLS, or QUIC), the page, the object.
for (const [lane, roundTrips] of [
  ["h2", 5],
  ["h3", 4],
] as const) {
  timedTest(
    `${lane}: a large image on a slow link is network, as long as its round trips and bytes take`,
    async (calm) => {
      const rate_bps = 4e6;
      const rtt_ms = 60;
      const object = await withArchive(home, (archive) => ensureSynth(archive, "cse534-size-1MB"));
      const { load, facts, path, plt_ms } = await told(object, lane, `${rate_bps / 1e6}mbit/${rtt_ms}ms`, calm);
      // With all headers, as the shaper counted it.
      const passed_bytes = facts.shaper?.down.bytes_out ?? 0;
      assert.ok(passed_bytes > 1_000_000 && passed_bytes < 1_150_000, `${passed_bytes} bytes`);
      const theory_ms = roundTrips * rtt_ms + (passed_bytes * 8000) / rate_bps;
      assert.ok(Math.abs(path.network_ms / theory_ms - 1) < 0.08, `${path.network_ms} ms, theory ${theory_ms} ms`);
      assert.ok(path.network_ms > 0.9 * plt_ms, `${path.network_ms} of ${plt_ms} ms`);
      const optimal_ms = optimalOfLoad_ms(load);
      assert.ok(optimal_ms !== null && optimal_ms < plt_ms && optimal_ms > 0.85 * plt_ms, `${optimal_ms} of ${plt_ms}`);
    },
  );
}

/** What a made page's script does between its arrival and asking for the last image. */
interface Idle {
  /** Waited for by a timer, while an image that is not waited for is still on its way. */
  readonly timer_ms: number;
  /** Computed before that. */
  readonly burnt_ms: number;
}

/** Time on the path without a request: whether it is waited for or computed, and whatever else is under way meanwhile. */
async function noRequest_ms(calm: Calm, { timer_ms, burnt_ms }: Idle): Promise<number> {
  const ask = `setTimeout(() => document.body.append(Object.assign(new Image(), { src: "/last.png" })), ${timer_ms});`;
  const answered = (server_time_ms: number) => ({ recorded: { server_time_ms } });
  const [all_ms, image] = [timer_ms + burnt_ms, { type: "image/png", body: "x".repeat(2000) }];
  const recording = await recordSite(home, `idle-${timer_ms}-${burnt_ms}`, [
    { url: page, body: "<!doctype html><meta charset=utf-8><p>text<img src=/beside.png><script src=/ask.js></script>" },
    { url: `${page}beside.png`, ...image, ...answered(all_ms + 600) },
    { url: `${page}ask.js`, type: "text/javascript", body: `{${burn(burnt_ms)}}${ask}` },
    { url: `${page}last.png`, ...image, ...answered(1500) },
  ]);
  const serving = settleServing({ think: "recorded" });
  const options = { home, recording, link: parseLink("20mbit/20ms"), timeout_ms: 30_000 };
  const path = criticalPath(await calmLoad(calm, { ...options, lane: "h2", serving }));
  assert.equal(path?.segments.at(-1)?.url ?? path?.segments.at(-2)?.url, `${page}last.png`, JSON.stringify(path));
  return path?.computation_ms ?? Number.NaN;
}

timedTest("no request: as long as a made page waits or computes with none on its path", async (calm) => {
  const least = await noRequest_ms(calm, { timer_ms: 200, burnt_ms: 0 });
  const waits = await noRequest_ms(calm, { timer_ms: 1200, burnt_ms: 0 });
  const computes = await noRequest_ms(calm, { timer_ms: 200, burnt_ms: 1000 });
  const found = JSON.stringify({ least, waits, computes });
  // What the browser needs besides is in each of them alike.
  assert.ok(least >= 200 && least <= 400, found);
  for (const longer of [waits, computes]) assert.ok(Math.abs((longer - least) / 1000 - 1) < 0.05, found);
});

test("what is painted, moved and computed after the load event is in LCP, CLS and TBT, until the page is quiet", async () => {
  const late = `addEventListener("load", () => setTimeout(() => {
    ${burn(300)}
    document.body.insertAdjacentHTML("afterbegin", "<h1 style='font-size:80px'>A large heading that comes late</h1>");
    fetch("/late.txt");
  }, 250));`;
  const site = await recordSite(home, "late", [
    {
      url: page,
      body: `<!doctype html><meta charset=utf-8><p>small text</p><div style="height:300px;background:#ddd">block</div><script>${late}</script>`,
    },
    { url: `${page}late.txt`, type: "text/plain", body: "late" },
  ]);
  const { facts, plt_ms } = await told(site, "h2", "20mbit/20ms");
  const { metrics, watched } = facts;
  const all = JSON.stringify({ metrics, watched });
  assert.ok(watched?.quiet && watched.until_ms > plt_ms + 250 + 300 + 500, all);
  assert.ok((metrics.lcp_ms ?? 0) > plt_ms + 250, all);
  assert.ok((metrics.cls ?? 0) > 0, all);
  assert.ok((metrics.tbt_ms ?? 0) >= 250, all);
  assert.equal(facts.counts.requests, 2, all);
});
