// A modelled page's scripts spend what they computed when recorded as `--compute` says: by timers it takes the same time without
// the CPU, by work it takes both, and by none neither. Ratios to the recorded computation, so that a busy machine changes little.
// Wide: cli/recording/model, native-host/replay.
import assert from "node:assert/strict";
import { parseLink } from "../../cli/link/link.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { type Compute, computes } from "../../cli/recording/model/compute_option.ts";
import { ensureModel } from "../../cli/recording/model/model_recording.ts";
import { type Calm, timedTest } from "../calm_machine.ts";
import { tempFolder } from "../temp_folder.ts";
import { calmLoad } from "./calm_load.ts";
import { recordSite } from "./site.ts";

const home = tempFolder("trilane-modelled-compute-");

const page = "https://page.test/";
const computed_ms = 4000;

/** What one request took when recorded, and what asked for it. */
const at = (start_offset_ms: number, resource_type: string, by?: string) => ({
  ...{ start_offset_ms, resource_type, timings: { wait: 20, receive: 10 } },
  ...(by === undefined ? {} : { initiator: { type: "script", urls: [by], line: null } }),
});

interface Spent {
  /** Of the load, against the recorded computation. */
  readonly plt: number;
  /** Of tasks on the main thread, the longest one, likewise. */
  readonly task: number;
  readonly cpu_ms: number;
}

async function load(calm: Calm, compute: Compute, of = "page"): Promise<Spent> {
  const { name, url, digest } = await withArchive(home, (archive) => ensureModel(archive, of, compute));
  const recording = { name, url, digest };
  const link = parseLink("20mbit/20ms");
  const { log } = await calmLoad(calm, { home, recording, lane: "h2", link, timeout_ms: 60_000, strict: true });
  const { metrics, long_tasks, cpu } = log._trilane;
  assert.ok(metrics.plt_ms !== null && long_tasks && cpu, "the browser and the system tell where time went");
  const task_ms = Math.max(0, ...long_tasks.map(({ duration_ms }) => duration_ms));
  return { plt: metrics.plt_ms / computed_ms, task: task_ms / computed_ms, cpu_ms: cpu.load.browser_ms };
}

timedTest(
  "computation by timers, by work and by none: page load time and script's time in the expected order",
  async (calm) => {
    const resources = [
      { url: page, body: `<!doctype html><title>page</title>${"<p>text".repeat(500)}`, recorded: at(0, "document") },
      { url: `${page}a.js`, type: "text/javascript", body: "1;".repeat(2000), recorded: at(40, "script", page) },
      {
        url: `${page}b.png`,
        type: "image/png",
        body: "x".repeat(4000),
        recorded: at(70 + computed_ms, "image", `${page}a.js`),
      },
    ];
    await recordSite(home, "page", resources, page, { load_event_ms: 150 + computed_ms });
    const spent = new Map<Compute, Spent>();
    for (const compute of computes) spent.set(compute, await load(calm, compute));
    const { timer, busy, none } = Object.fromEntries(spent) as Record<Compute, Spent>;
    const found = JSON.stringify({ timer, busy, none });
    // What was computed is in the load by timers and by work, and not without.
    assert.ok(timer.plt >= 0.9 && busy.plt >= 0.9, found);
    assert.ok(none.plt <= 0.6 * timer.plt && none.plt <= 0.6 * busy.plt, found);
    // And takes the main thread by work alone.
    assert.ok(busy.task >= 0.9 && timer.task <= 0.45 && none.task <= 0.45, found);
    assert.ok(busy.cpu_ms >= 1.3 * timer.cpu_ms && busy.cpu_ms >= 1.3 * none.cpu_ms, found);
  },
);

timedTest("computation that waited for what a stylesheet imports waits for it in the model, too", async (calm) => {
  const imported = "body{color:#111}".repeat(60);
  const resources = [
    { url: page, body: `<!doctype html><title>page</title>${"<p>text".repeat(500)}`, recorded: at(0, "document") },
    {
      ...{ url: `${page}a.css`, type: "text/css", body: `@import "b.css";${imported}` },
      recorded: { ...at(40, "stylesheet", page), initiator: { type: "parser", urls: [page], line: null } },
    },
    {
      ...{ url: `${page}b.css`, type: "text/css", body: imported },
      recorded: {
        ...at(80, "stylesheet", `${page}a.css`),
        initiator: { type: "parser", urls: [`${page}a.css`], line: null },
      },
    },
  ];
  await recordSite(home, "styled", resources, page, { load_event_ms: 110 + computed_ms });
  const { plt } = await load(calm, "timer", "styled");
  assert.ok(plt >= 0.9 && plt <= 1.5, `${plt} of the recorded computation`);
});
