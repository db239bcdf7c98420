// The command lines of a lab and of its browser, and the environment that results keep of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { allLanes, type Lane } from "../../../cli/base/lanes.ts";
import { userAgent } from "../../../cli/browser/browser_binary.ts";
import { chromiumArguments, chromiumEnvironment } from "../../../cli/browser/chromium.ts";
import { environmentOf } from "../../../cli/load/environment.ts";

const options = { profile: "/tmp/load-1/profile", spkiList: "abc=,def=", userAgent: userAgent("156") };

test("a forced lane is what is left when the others are taken away", () => {
  const of = (lane: Lane) => chromiumArguments({ ...options, lane });
  assert.ok(of("h1").includes("--disable-http2") && of("h1").includes("--disable-quic"));
  assert.ok(!of("h2").includes("--disable-http2") && of("h2").includes("--disable-quic"));
  assert.ok(of("h3").includes("--origin-to-force-quic-on=*") && !of("h3").includes("--disable-quic"));
  for (const free of ["h3-discovered", "h3-altsvc"] as const) {
    assert.ok(!of(free).some((argument) => /^--disable-(http2|quic)$|force-quic-on=\*$/.test(argument)), free);
  }
});

test("the lanes differ in nothing else", () => {
  const laneOnly =
    /^--(disable-http2$|disable-quic$|origin-to-force-quic-on=|host-resolver-rules=|enable-features=EnableTLS13EarlyData$)/;
  const [first, ...others] = allLanes.map((lane) =>
    chromiumArguments({ ...options, lane })
      .filter((argument) => !laneOnly.test(argument))
      .map((argument) => argument.replace(",PartitionConnectionsByNetworkIsolationKey", "")),
  );
  for (const other of others) assert.deepEqual(other, first);
});

test("of arguments that a browser takes once there is one", () => {
  for (const lane of allLanes) {
    const names = chromiumArguments({ ...options, lane }).map((argument) => argument.split("=", 1)[0]);
    assert.equal(new Set(names).size, names.length);
  }
});

test("the browser inherits no proxy and no home", () => {
  const environment = chromiumEnvironment("/p", "/t", {
    PATH: "/bin",
    HOME: "/home/me",
    https_proxy: "http://proxy:1",
  });
  assert.equal(environment.HOME, "/p");
  assert.equal(environment.TMPDIR, "/t");
  assert.equal(environment.PATH, "/bin");
  assert.equal(environment.https_proxy, undefined);
});

test("loads that ran the same way have the same environment", () => {
  const of = (n: number) =>
    environmentOf({
      browserDigest: "0".repeat(64),
      machine: { kernel: "6.18", architecture: "x64", cpu: "c", cpus: 2, memory_bytes: 1 },
      versions: { trilane: "0.1.0", chromium: "156" },
      congestionControl: { tcp: "cubic", quic: null },
      commandLines: {
        replay: ["trilane-replay", "--home", "/home/me/data", "--report", `/dev/shm/load-${n}/replay.json`],
        shaper: ["trilane-shaper", "--report", `/dev/shm/load-${n}/shaper.json`],
        browser: ["chromium", `--user-data-dir=/dev/shm/load-${n}/profile`],
      },
      places: [
        { path: `/dev/shm/load-${n}`, name: "$REPORTS" },
        { path: `/dev/shm/load-${n}/profile`, name: "$PROFILE" },
        { path: "/home/me/data", name: "$TRILANE_HOME" },
      ],
    });
  assert.deepEqual(of(1), of(2));
  assert.deepEqual(of(1).command_lines.browser, ["chromium", "--user-data-dir=$PROFILE"]);
  assert.deepEqual(of(1).command_lines.replay.slice(1, 3), ["--home", "$TRILANE_HOME"]);
});

test("frequent ACKs are asked of every lane's browser by the same words", () => {
  const words = allLanes.map((lane) => {
    const usual = new Set(chromiumArguments({ ...options, lane }));
    return chromiumArguments({ ...options, lane, frequentAcks: true }).filter((word) => !usual.has(word));
  });
  for (const added of words) assert.deepEqual(added, words[0]);
  assert.match(
    words[0]?.join(" ") ?? "",
    /^--force-fieldtrials=QUIC\/Enabled .*FLAGS_quic_ack_decimation_delay%3D0\.001$/,
  );
});
