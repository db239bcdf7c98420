// What ended a lab during a load is named. No browser.
import assert from "node:assert/strict";
import { test } from "node:test";
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
