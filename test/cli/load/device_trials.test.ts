// Which devices are tried for what a load missed of its recording.
import assert from "node:assert/strict";
import { test } from "node:test";
import { usualDevice } from "../../../cli/browser/device.ts";
import { factorBetween, likelyChanges } from "../../../cli/load/device_trials.ts";

test("a factor is that of one or two numbers of a URL that is else the same, or of its density's mark", () => {
  for (const [recorded, asked, factor] of [
    ["/440px-Foo.jpg", "/220px-Foo.jpg", 2],
    ["/330px-Foo.jpg", "/220px-Foo.jpg", 1.5],
    ["/i?w=1093&h=614&q=80", "/i?w=547&h=307&q=80", 2],
    ["/a@2x.png", "/a.png", 2],
    ["/a-1.5x.png", "/a.png", 1.5],
    ["/220px-Foo.jpg", "/440px-Foo.jpg", null],
    ["/440px-Foo.jpg", "/220px-Bar.jpg", null],
    ["/440px-Foo.jpg", "/440px-Foo.jpg", null],
    ["/i?w=400&h=900", "/i?w=200&h=200", null],
    ["/1733000/9", "/3/1", null],
    ["/9", "/0", null],
  ] as const)
    assert.equal(factorBetween(recorded, asked), factor, `${recorded} ${asked}`);
});

test("what the misses say is tried first, then larger windows; what is known of a device stays", () => {
  const misses = {
    notRequested: ["/440px-a.jpg", "/440px-b.jpg", "/330px-c.jpg"],
    instead: ["/220px-a.jpg", "/220px-b.jpg"],
  };
  assert.deepEqual(likelyChanges(usualDevice, [], misses).slice(0, 2), [
    { device_pixel_ratio: 2 },
    { width: 1920, height: 1080 },
  ]);
  assert.deepEqual(likelyChanges(usualDevice, ["width", "height"], misses), [{ device_pixel_ratio: 2 }]);
  assert.deepEqual(likelyChanges({ ...usualDevice, device_pixel_ratio: 3, width: 800 }, [], misses), []);
  assert.deepEqual(likelyChanges(usualDevice, [], { ...misses, notRequested: [] }), []);
});
