// What `trilane open` says of a display that is not to be reached.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startFailure } from "../../../../cli/load/open/visible_chromium.ts";

test("a display that nobody answers at is told of by its name, with a remedy", () => {
  const said = [
    "[7:7:1121/144800.1:ERROR:ui/aura/env.cc:246] The platform failed to initialize.  Exiting.",
    "[7:9:1121/144800.2:ERROR:dbus/bus.cc:405] Failed to connect to the bus",
  ].join("\n");
  assert.equal(
    startFailure("it ended", said, { DISPLAY: ":77", HOME: "/home/u" }),
    "the display (DISPLAY=:77) cannot be reached: start it from a desktop that runs, or add --headless",
  );
  assert.match(
    startFailure("it ended", said, { DISPLAY: ":0", WAYLAND_DISPLAY: "w" }),
    /\(DISPLAY=:0, WAYLAND_DISPLAY=w\)/,
  );
  assert.equal(
    startFailure("no room", "Failed to connect to the bus", { DISPLAY: ":0" }),
    "the browser did not start: no room",
  );
});
