// What the report says of how loads were made: on which devices, beside the usual one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { usualDevice } from "../../../cli/browser/device.ts";
import { deviceRow } from "../../../cli/report/method.ts";
import { cacheEnvironment, deviceEnvironment } from "../../../cli/results/store/page_devices.ts";

const text = (pages: readonly string[], devices: readonly (readonly [string, string | null])[]): string =>
  String(deviceRow(pages, deviceEnvironment(devices))).replaceAll(/<[^>]+>/g, "|");

test("a page's device is shown if it is not the usual one", () => {
  assert.match(text(["a"], [["a", null]]), /window of 1366x768 pixels.*light colours\|/);
  assert.doesNotMatch(text(["a"], [["a", null]]), /but of/);
  const device = JSON.stringify({ ...usualDevice, device_pixel_ratio: 2, color_scheme: "dark" });
  assert.match(text(["a", "b"], [["b", device]]), /but of\|b: 2 device pixels for each of CSS, dark colours\|/);
  const many = Array.from({ length: 22 }, (_, place) => `p${place}`);
  assert.match(
    text(
      many,
      many.map((page) => [page, device]),
    ),
    /p19: [^|]*\|and 2 other pages/,
  );
});

test("a page that was recorded with a warm cache says so", () => {
  const shown = String(
    deviceRow(
      ["a", "b"],
      cacheEnvironment([
        ["a", 0],
        ["b", 3],
      ]),
    ),
  );
  assert.match(shown, /b: recorded with a warm cache \(3 URLs from before\), loaded with an empty one/);
  assert.doesNotMatch(shown, /a: /);
});
