// Part of `npm run check`: a test that looks at a clock stands in a list here, with what it uses the clock for. A test judges no
// computing by an absolute time: what that would protect is a count, a ratio of two sizes in one run (growth.ts), or a bench. A new
// use therefore needs a reason that is another one. Entries that are no longer needed are faults, too. Benches measure.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const clock =
  /\b(performance\.now|Date\.now|hrtime|process\.cpuUsage|userCPUTime|clock_gettime|clock_now_ns|getrusage|gettimeofday)\b/;

const reasons = {
  ratio: "CPU time of two sizes in one run, as a ratio with room for chance",
  given: "the present time is an input of what is tested, or seeds it",
  patience:
    "how long something is waited for at most: ten times what a slow machine needs, and nothing is judged by it",
  slept: "the same work at once and after a sleep, as a ratio that says what tests of time hold",
  least: "something must not come before its time; how late it comes is not judged",
  compared: "two clocks, or a clock and what the product reports of it, are compared",
  burns: "a program that is to use a CPU, or to wait, for a given time",
  timed:
    "time over an emulated link, in a test that is inconclusive on a disturbed machine (calm_machine.ts, timing.sh)",
  fastest: "the fastest of many round trips over an emulated link, which a busy machine does not hold up",
  shorter: "something is not waited for: all takes less than that wait, which is seconds",
  virtual: "time that passes only while the program's loop waits (test/native/virtual_time.c)",
  shown: "what test files took is shown, and nothing is judged by it",
  peer: "the other end of a connection, or a program that measures, which reports times and judges none",
} as const;

const allowed: Readonly<Record<string, keyof typeof reasons>> = {
  "test/bounded.ts": "shown",
  "test/calm_machine.ts": "patience",
  "test/cli/base/process_folder.test.ts": "given",
  "test/cli/install/build_cache.slow.test.ts": "given",
  "test/cli/install/packages/bundle.slow.test.ts": "compared",
  "test/cli/load/cpu_time.test.ts": "compared",
  "test/cli/load/cross_traffic.test.ts": "least",
  "test/cli/load/pressure.test.ts": "burns",
  "test/cli/recording/record/quiet.test.ts": "given",
  "test/cli/results/store/migrations.slow.test.ts": "patience",
  "test/cli/instruments/page/run/runner.test.ts": "given",
  "test/e2e/browser_wrapper.test.ts": "least",
  "test/e2e/cluster.test.ts": "patience",
  "test/e2e/extension_browser.ts": "patience",
  "test/e2e/extension_video.test.ts": "compared",
  "test/e2e/fetch.test.ts": "timed",
  "test/e2e/flow_oracle.test.ts": "timed",
  "test/e2e/interrupted.test.ts": "given",
  "test/e2e/kills.test.ts": "given",
  "test/e2e/metrics.test.ts": "burns",
  "test/e2e/no_tun.test.ts": "timed",
  "test/e2e/paints.test.ts": "compared",
  "test/e2e/pin_time.test.ts": "compared",
  "test/e2e/pin_time_recorded.test.ts": "compared",
  "test/e2e/shell.test.ts": "fastest",
  "test/e2e/shell_reach.test.ts": "least",
  "test/e2e/slurm_cluster.ts": "patience",
  "test/e2e/ssh_server.ts": "patience",
  "test/e2e/video_lab.ts": "patience",
  "test/fuzz/parsers/watched.ts": "patience",
  "test/growth.ts": "ratio",
  "test/native/archive/matcher_bench.c": "peer",
  "test/native/base/loop_test.c": "least",
  "test/native/flows/engine_test.c": "given",
  "test/native/flows/quic_meeting.c": "given",
  "test/native/messaging/job_folders_test.c": "patience",
  "test/native/messaging/jobs_test.c": "patience",
  "test/native/replay/exchange/think_test.c": "given",
  "test/native/replay/h1_client.c": "peer",
  "test/native/replay/h2_client.c": "peer",
  "test/native/replay/h3/h3_malformed_test.c": "virtual",
  "test/native/replay/h3/h3_test.c": "virtual",
  "test/native/replay/h3_client.c": "peer",
  "test/native/replay/h3_load.c": "peer",
  "test/native/replay/lane_site.c": "given",
  "test/native/replay/origins/far_network_test.c": "given",
  "test/native/replay/overtake_probe.c": "peer",
  "test/native/replay/request_limit_test.c": "virtual",
  "test/native/shaper/control_test.c": "shorter",
  "test/native/shaper/moving_peer.c": "peer",
  "test/native/shaper/nodes/queue_test.c": "ratio",
  "test/native/shaper/nodes/trace_test.c": "ratio",
  "test/native/shaper/probe.c": "peer",
  "test/native/shaper/program_test.c": "least",
  "test/native/shaper/run.c": "patience",
  "test/native/shaper/simulator_test.c": "compared",
  "test/native/virtual_time.c": "virtual",
  "test/run_files.ts": "patience",
  "test/product.ts": "patience",
  "test/slept.ts": "slept",
};

/** What is wrong with the clocks in some files: uses of a file that is not listed, and listed files without one. */
export function clockFaults(
  texts: ReadonlyMap<string, string>,
  listed: Readonly<Record<string, string>> = allowed,
): string[] {
  const used = [...texts].filter(([, text]) => clock.test(text)).map(([file]) => file);
  return [
    ...used
      .filter((file) => !(file in listed))
      .map((file) => {
        const line = (texts.get(file) ?? "").split("\n").findIndex((each) => clock.test(each)) + 1;
        return `${file}:${line}: a test looks at a clock: use a count or test/growth.ts, or say in test/clocks.ts why not`;
      }),
    ...Object.keys(listed)
      .filter((file) => !used.includes(file))
      .map((file) => `test/clocks.ts: ${file} looks at no clock: remove its line`),
  ];
}

/** All sources of tests; benches and trials on fresh machines measure. */
export function testSources(): Map<string, string> {
  const root = join(import.meta.dirname, "..");
  const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .map((file) => join("test", file))
    .filter((file) => /\.(ts|c|h|sh|py|js)$/.test(file))
    .filter((file) => !/^test\/(bench|fresh|fixtures)\/|^test\/clocks(\.test)?\.ts$/.test(file));
  return new Map(files.sort().map((file) => [file, readFileSync(join(root, file), "utf8")]));
}

if (import.meta.main) {
  const faults = clockFaults(testSources());
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
