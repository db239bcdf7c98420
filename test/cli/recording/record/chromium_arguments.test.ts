// The recorder's browser against the measuring one: what they differ in is what a recording needs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { userAgent } from "../../../../cli/browser/browser_binary.ts";
import { chromiumArguments } from "../../../../cli/browser/chromium.ts";
import { recordedLanes, recorderArguments } from "../../../../cli/recording/record/chromium_arguments.ts";

const options = {
  profile: "/p",
  netLog: "/n",
  userAgent: userAgent("156"),
  trustedKeys: [],
  addresses: [],
  allowLocalNetwork: false,
};

const featuresOf = (told: readonly string[]): string[] =>
  told.flatMap((argument) => /^--disable-features=(.*)$/.exec(argument)?.[1]?.split(",") ?? []);

test("a recorded page meets the browser that will load its recording: the same arguments but for trust and the local network", () => {
  for (const lane of ["h1", "h2", "h3"] as const) {
    const recorder = recorderArguments({ ...options, lane });
    const measured = chromiumArguments({ lane, profile: "/p", spkiList: "x", userAgent: options.userAgent });
    const left = measured.filter((argument) => !recorder.includes(argument));
    const checksOff = left.find((argument) => argument.startsWith("--disable-features="));
    assert.deepEqual(left, [checksOff, "--ignore-certificate-errors-spki-list=x"]);
    assert.deepEqual(
      featuresOf(measured).filter((feature) => !featuresOf(recorder).includes(feature)),
      ["LocalNetworkAccessChecks"],
    );
    assert.deepEqual(recorder.slice(-2), ["--user-data-dir=/p", "about:blank"]);
  }
});

test("a public page's way to the local network is open only where it is asked for", () => {
  const features = (allowLocalNetwork: boolean) =>
    featuresOf(recorderArguments({ ...options, lane: "any", allowLocalNetwork })).includes("LocalNetworkAccessChecks");
  assert.deepEqual([features(false), features(true)], [false, true]);
});

test("left to itself, it may use every protocol; forced, one", () => {
  const quic = /quic|http2/;
  const forcing = (lane: (typeof recordedLanes)[number]) =>
    recorderArguments({ ...options, lane }).filter((argument) => quic.test(argument));
  assert.deepEqual(recordedLanes.map(forcing), [
    [],
    ["--disable-http2", "--disable-quic"],
    ["--disable-quic"],
    ["--origin-to-force-quic-on=*"],
  ]);
});

test("keys, addresses and the version are told as the browser takes them", () => {
  const told = recorderArguments({
    ...{ ...options, lane: "any", trustedKeys: ["a=", "b="] },
    addresses: [
      { host: "shop.example", address: "192.0.2.7" },
      { host: "*.shop.example", address: "2001:db8::1" },
    ],
  });
  assert.ok(told.includes("--ignore-certificate-errors-spki-list=a=,b="));
  assert.ok(told.includes("--host-resolver-rules=MAP shop.example 192.0.2.7,MAP *.shop.example [2001:db8::1]"));
  assert.ok(told.some((argument) => /^--user-agent=.* Chrome\/156\.0\.0\.0 /.test(argument)));
});
