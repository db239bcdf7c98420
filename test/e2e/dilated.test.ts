// Dilated time through the real lab and the real browser: the lab's clocks, the link's physics, the kernel's retransmission
// and the browser's own timers; and a page's load time, with and without dilation.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { plainLanes } from "../../cli/base/lanes.ts";
import { median } from "../../cli/base/quantile.ts";
import { parseLink } from "../../cli/link/link.ts";
import { labCommand } from "../../cli/load/lab.ts";
import type { LoadOptions, PageLoad } from "../../cli/load/load.ts";
import { criticalPath } from "../../cli/load/metrics/critical_path.ts";
import { judge } from "../../cli/load/selftest/judge.ts";
import { measureLink } from "../../cli/load/selftest/measure.ts";
import { quick } from "../../cli/load/selftest/phases.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/ensure.ts";
import { timedTest } from "../calm_machine.ts";
import { calmLoad } from "./calm_load.ts";
import { recordSite } from "./site.ts";
import { untimedLoad } from "./untimed_load.ts";

const home = mkdtempSync(join(tmpdir(), "trilane-dilated-"));
after(() => rmSync(home, { recursive: true, force: true }));

const synth = (name: string) => withArchive(home, (archive) => ensureSynth(archive, name));
const timeout_ms = 60_000;
const dilation = 5;

const pltOf = (load: PageLoad): number => load.log._trilane.metrics.plt_ms ?? Number.NaN;

/** Measures three times, or once where that is less than half of the bound off. */
async function untilClear(bound: number, off: () => number, measure: () => Promise<void>): Promise<void> {
  await measure();
  for (let more = 0; more < 2 && Math.abs(off()) > bound / 2; more++) await measure();
}

test("a dilated link is what was asked, in its own time: rate, delay, jitter, loss, queue and a changing rate", async () => {
  const asItIs = async (form: string): Promise<void> => {
    const started_ms = performance.now();
    const record = await measureLink(parseLink(form), quick, dilation);
    const took_ms = performance.now() - started_ms;
    const rows = judge(parseLink(form), record).filter(({ quantity }) => quantity !== "lateness");
    assert.ok(rows.length > 0 && rows.every(({ outcome }) => outcome !== "out"), JSON.stringify(rows));
    const lab_ms = Math.max(...record.phases.map(({ arrived_ns }) => (arrived_ns.at(-1) ?? 0) / 1e6));
    assert.ok(took_ms > dilation * lab_ms, `${took_ms} ms for ${lab_ms} ms of the lab`);
  };
  const forms = ["5mbit/20ms,loss=5%,queue=20p", "down=4mbit,up=1mbit,rtt=30ms,jitter=4ms,queue=60ms"];
  await Promise.all(forms.map(asItIs));
});

test("TCP's minimum RTO is dilated, and its windows grow by round trips alone", async () => {
  const { dilate, shaper } = labCommand({
    home,
    recording: null,
    link: parseLink("10mbit/10ms"),
    dilation,
    reports: null,
  });
  const [program = "", ...words] = [...dilate, ...shaper, "ip", "route", "show", "default"];
  const { stdout } = await promisify(execFile)(program, words);
  assert.match(stdout, /rto_min lock 1s/);
  assert.match(stdout, /congctl reno/);
});

for (const [lane, roundTrips] of [
  ["h1", 4],
  ["h2", 4],
  ["h3", 3],
] as const) {
  timedTest(
    `${lane}: PLT of a one-object page grows by ${roundTrips} dilated round trips (within 3 %)`,
    async (calm) => {
      const recording = await synth("object-1kB");
      const [near_ms, far_ms] = [20, 100];
      const plt_ms = async (rtt_ms: number): Promise<number> => {
        const link = parseLink(`100mbit/${rtt_ms}ms`);
        return pltOf(await calmLoad(calm, { home, recording, lane, link, dilation, timeout_ms }));
      };
      const near: number[] = [];
      const far: number[] = [];
      const off = (): number => (median(far) - median(near)) / (far_ms - near_ms) / roundTrips - 1;
      await untilClear(0.03, off, async () => {
        near.push(await plt_ms(near_ms));
        far.push(await plt_ms(far_ms));
      });
      assert.ok(Math.abs(off()) <= 0.03, `${off()}: ${JSON.stringify({ near, far })}`);
    },
  );
}

test("a page's timers are dilated, and what it computes is added", async () => {
  const burnt_ms = 300;
  const page = "https://page.test/";
  const site = await recordSite(home, "timers", [
    { url: page, body: "<!doctype html><meta charset=utf-8><p>text<script src=/app.js></script>" },
    {
      url: `${page}app.js`,
      type: "text/javascript",
      body: `const end = performance.now() + ${burnt_ms / dilation}; while (performance.now() < end);
const image = new Image(); document.body.append(image); setTimeout(() => { image.src = "/late.png" }, 200); image.src = "/first.png";`,
    },
    { url: `${page}first.png`, type: "image/png", body: "x" },
    { url: `${page}late.png`, type: "image/png", body: "x" },
  ]);
  const load = await untimedLoad({
    ...{ home, recording: site, lane: "h2", link: parseLink("20mbit/20ms"), dilation, timeout_ms, settle_ms: 400 },
  } satisfies LoadOptions);
  const { added_computation_ms = 0, metrics, status, reasons } = load.log._trilane;
  assert.equal(status, "valid", reasons.join("; "));
  // On a busy machine the script had a CPU for a part of its time only, and only that is added.
  const missing_ms = (burnt_ms * (dilation - 1)) / dilation;
  assert.ok(added_computation_ms >= missing_ms / 4, `${added_computation_ms} of ${missing_ms} ms`);
  const computed_ms = criticalPath(load)?.computation_ms ?? 0;
  assert.ok(computed_ms >= burnt_ms / dilation + added_computation_ms - 1, `${computed_ms} ms`);
  assert.ok((metrics.plt_ms ?? 0) > computed_ms);
  const started = (file: string): number =>
    load.log.entries.find(({ request }) => request.url === `${page}${file}`)?._trilane.start_ns ?? Number.NaN;
  // The lab's own milliseconds: a page's timer of 200 ms takes a second of ours.
  const later_ms = (started("late.png") - started("first.png")) / 1e6;
  assert.ok(later_ms >= 199 && later_ms < 300, `${later_ms} ms`);
});

test("what a page waits for by a timer is not taken for computation", async () => {
  const waited_ms = 400;
  const page = "https://waiting.test/";
  // A frame whose document is open holds up the page's load event.
  const body = `<!doctype html><meta charset=utf-8><p>text<script>
const frame = document.createElement("iframe"); document.body.append(frame); frame.contentDocument.open();
setTimeout(() => frame.contentDocument.close(), ${waited_ms});</script>`;
  const site = await recordSite(home, "waiting", [{ url: page, body }]);
  const link = parseLink("20mbit/20ms");
  const load = await untimedLoad({ home, recording: site, lane: "h2", link, dilation, timeout_ms });
  const { metrics, added_computation_ms = 0 } = load.log._trilane;
  assert.ok((metrics.plt_ms ?? 0) >= waited_ms, JSON.stringify(metrics));
  assert.ok(added_computation_ms < waited_ms / 2, `${added_computation_ms} ms added`);
});

timedTest(
  "carlucci-small at 10mbit/50ms: a dilated load's PLT is an undilated one's (within 5 % in the median)",
  async (calm) => {
    const recording = await synth("carlucci-small");
    const link = parseLink("10mbit/50ms");
    for (const lane of plainLanes) {
      const undilated_ms: number[] = [];
      const dilated_ms: number[] = [];
      const off = (): number => median(dilated_ms) / median(undilated_ms) - 1;
      await untilClear(0.05, off, async () => {
        undilated_ms.push(pltOf(await calmLoad(calm, { home, recording, lane, link, timeout_ms })));
        const dilated = await calmLoad(calm, { home, recording, lane, link, dilation, timeout_ms });
        assert.equal(dilated.log._trilane.dilation, dilation);
        dilated_ms.push(pltOf(dilated));
      });
      assert.ok(Math.abs(off()) <= 0.05, `${lane}: ${JSON.stringify({ undilated_ms, dilated_ms })}`);
    }
  },
);
