// How a lab that ends by itself or must be ended is treated: what is named, and how long its end is awaited. No browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StartError, startBrowser } from "../../../cli/browser/browser.ts";
import { endDuringLoad } from "../../../cli/load/load.ts";

test("a killed trilane-replay is named with its signal; what it ran is the browser, with its own", () => {
  const stderr = "";
  assert.equal(
    endDuringLoad({ code: null, signal: "SIGKILL", stderr }),
    "trilane-replay was killed during the load (SIGKILL)",
  );
  assert.equal(endDuringLoad({ code: 137, signal: null, stderr }), "the browser ended during the load (SIGKILL)");
  assert.equal(endDuringLoad({ code: 1, signal: null, stderr }), "the browser ended during the load (exit status 1)");
});

test("a lab that does not end is awaited as long in its own time", async () => {
  const start = {
    commandLine: ["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"],
    environment: { PATH: process.env.PATH ?? "" },
    timeout_ms: 50,
  };
  const took_ms = async (dilation: number): Promise<number> => {
    const before = performance.now();
    await assert.rejects(startBrowser({ ...start, dilation }), StartError);
    return performance.now() - before;
  };
  // Four of its seconds.
  assert.ok((await took_ms(0.05)) < 2000);
  assert.ok((await took_ms(0.5)) >= 2000);
});
