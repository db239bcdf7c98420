// The device that a page is loaded on: what notes and options say of one, and what a browser is started with.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deviceArguments, deviceIn, deviceWords, usualDevice } from "../../../cli/browser/device.ts";
import { chosenDevice } from "../../../cli/recording/record/device_options.ts";
import { refusedIn } from "../refused.ts";

const none = { device: undefined, window: undefined, "device-pixel-ratio": undefined };

test("what a recording's notes do not say of its device, or say wrongly, is as usual", () => {
  assert.deepEqual(deviceIn(undefined), usualDevice);
  assert.deepEqual(
    deviceIn({
      device_pixel_ratio: 99,
      width: 1.5,
      height: "x",
      languages: ["de", "x,--y"],
      color_scheme: 1,
      user_agent: "a\nb",
    }),
    { ...usualDevice, languages: ["de"] },
  );
  const noted = { ...usualDevice, device_pixel_ratio: 2, width: 412, height: 915, color_scheme: "dark" };
  assert.deepEqual(deviceIn(noted), noted);
});

test("a browser is started with it, and a usual one as ever", () => {
  assert.deepEqual(deviceArguments(usualDevice), [
    "--window-size=1366,768",
    "--force-device-scale-factor=1",
    "--lang=en-US",
  ]);
  const other = deviceIn({ device_pixel_ratio: 2, languages: ["de-CH", "de"], color_scheme: "dark" });
  assert.deepEqual(deviceArguments(other).slice(1), [
    "--force-device-scale-factor=2",
    "--lang=de-CH",
    "--accept-lang=de-CH,de",
    "--blink-settings=preferredColorScheme=0",
  ]);
  assert.equal(deviceWords(usualDevice), "");
  assert.equal(deviceWords(other), "2 device pixels for each of CSS, languages de-CH, de, dark colours");
});

test("options say of a device what they name: a ratio or a window goes before that of a named one", () => {
  assert.deepEqual(chosenDevice(none), {});
  assert.deepEqual(chosenDevice({ ...none, device: "laptop", "device-pixel-ratio": 1 }), {
    ...{ width: 1440, height: 900, device_pixel_ratio: 1, user_agent: null },
  });
  assert.deepEqual(chosenDevice({ ...none, window: "800x600" }), { width: 800, height: 600 });
  for (const window of ["800", "800x", "8x8", "99999x800", "800x600x2"])
    assert.throws(() => chosenDevice({ ...none, window }), refusedIn(/write WIDTHxHEIGHT/));
});
