// h2spec, a conformance suite for HTTP/2 servers, against the h2 lane over TLS.
// Wide: native-host/replay.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { programPath } from "../../cli/base/programs.ts";
import { tempFolder } from "../temp_folder.ts";
import { buildH2spec } from "./h2spec/build.ts";
import { recordSite } from "./site.ts";

const home = tempFolder("trilane-h2spec-");

// nghttp2 ends the connection with FLOW_CONTROL_ERROR, where h2spec wants to see the stream alone ended. RFC 9113, 5.4.1
// lets a server take an error of a stream for one of the connection.
const exceptions = [
  "Sends multiple WINDOW_UPDATE frames increasing the flow control window to above 2^31-1 on a stream",
];

interface Case {
  readonly name: string;
  readonly passed: boolean;
}

/** The cases of a report in JUnit's format, as h2spec writes it: a case that did not pass has something inside. */
function cases(report: string): Case[] {
  const found = report.matchAll(/<testcase [^>]*classname="([^"]*)"[^>]*>(.*?)<\/testcase>/gs);
  return [...found].map(([, name = "", inside = ""]) => ({ name, passed: inside.trim() === "" }));
}

test("h2spec's cases all pass but the named exceptions", { timeout: 120_000 }, async (t) => {
  const built = buildH2spec();
  if ("missing" in built) return t.skip(built.missing);
  await recordSite(home, "site", [{ url: "https://h2spec.test/", body: "page".repeat(10_000) }]);
  const junit = join(home, "junit.xml");
  const { status, stderr } = spawnSync(
    programPath("trilane-replay"),
    [
      ...["--home", home, "--recording", "site", "--"],
      ...[programPath("trilane-shaper"), "--link", "unlimited/0ms", "--"],
      ...[built.path, "--host", "h2spec.test", "--port", "443", "--tls", "--insecure", "--timeout", "3"],
      ...["--junit-report", junit],
    ],
    { encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] },
  );
  assert.ok(status === 0 || status === 1, `trilane-replay ended with ${status}: ${stderr}`);
  const all = cases(readFileSync(junit, "utf8"));
  assert.ok(all.length >= 145, `h2spec told of ${all.length} cases`);
  const failed = all.filter(({ passed }) => !passed).map(({ name }) => name);
  assert.deepEqual(failed, exceptions);
  assert.ok(failed.length / all.length <= 0.01);
});
