// On which device a HAR was recorded, by what its requests and pictures say.
import assert from "node:assert/strict";
import { test } from "node:test";
import { namedDevices } from "../../../../cli/browser/device.ts";
import { deviceOf } from "../../../../cli/recording/import/device.ts";
import { readHarFile } from "../../../../cli/recording/import/har.ts";

interface Asked {
  readonly path: string;
  readonly html?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function deviceIn(asked: readonly Asked[], page: object = {}): unknown {
  const entries = asked.map(({ path, html, headers = {} }) => ({
    startedDateTime: "2026-09-01T10:00:00.000Z",
    request: {
      method: "GET",
      url: `https://shop.example${path}`,
      headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    },
    response: {
      status: 200,
      headers: [],
      content: html === undefined ? { size: 1, mimeType: "image/png" } : { size: 1, mimeType: "text/html", text: html },
    },
  }));
  const pages = [{ id: "p", startedDateTime: "2026-09-01T10:00:00.000Z", title: "t", pageTimings: {}, ...page }];
  const har = readHarFile({ log: { version: "1.2", creator: { name: "x", version: "1" }, pages, entries } });
  return deviceOf(har.entries, har.pages[0] ?? null);
}

const wiki = '<img alt=a src="/220px.png" srcset="/330px.png 1.5x, /440px.png 2x">';

test("the ratio is that of the pictures which a browser chose of its sets", () => {
  assert.deepEqual(deviceIn([{ path: "/", html: wiki }, { path: "/440px.png" }]), { device_pixel_ratio: 2 });
  assert.deepEqual(deviceIn([{ path: "/", html: wiki }, { path: "/330px.png" }]), { device_pixel_ratio: 1.5 });
  assert.deepEqual(deviceIn([{ path: "/", html: wiki }, { path: "/220px.png" }]), { device_pixel_ratio: 1 });
  // Both: nothing is said. And sets by width depend on the layout.
  assert.deepEqual(deviceIn([{ path: "/", html: wiki }, { path: "/220px.png" }, { path: "/440px.png" }]), {});
  const byWidth = "<img src=/a.png srcset='/b.png 800w, /c.png 1600w'>";
  assert.deepEqual(deviceIn([{ path: "/", html: byWidth }, { path: "/c.png" }]), {});
});

test("pictures named for twice the pixels say it where their plain twins were not asked for", () => {
  assert.deepEqual(deviceIn([{ path: "/a@2x.png" }, { path: "/b@2x.jpg" }]), { device_pixel_ratio: 2 });
  assert.deepEqual(deviceIn([{ path: "/a@2x.png" }, { path: "/a.png" }, { path: "/b@2x.png" }]), {});
});

test("hints, languages and WebPageTest's fields are taken as they stand; a desktop's user agent is not", () => {
  const headers = {
    "Sec-CH-DPR": "2.0",
    "Sec-CH-Viewport-Width": "412",
    "Sec-CH-Viewport-Height": "915",
    "Sec-CH-Prefers-Color-Scheme": '"dark"',
    "Accept-Language": "de-CH,de;q=0.9,*;q=0.1",
    "User-Agent": "Mozilla/5.0 (Linux; Android 10; K) Mobile",
  };
  assert.deepEqual(deviceIn([{ path: "/", html: "", headers }]), {
    ...{ width: 412, height: 915, device_pixel_ratio: 2, languages: ["de-CH", "de"], color_scheme: "dark" },
    user_agent: "Mozilla/5.0 (Linux; Android 10; K) Mobile",
  });
  assert.deepEqual(deviceIn([{ path: "/", html: "", headers: { "User-Agent": "Mozilla/5.0 (X11; Linux)" } }]), {});
  assert.deepEqual(deviceIn([{ path: "/" }], { _viewport: { width: 1920, height: 993, dpr: 1 } }), {
    ...{ width: 1920, height: 993, device_pixel_ratio: 1 },
  });
  assert.deepEqual(deviceIn([{ path: "/" }], { _viewport: { width: "x", dpr: 99 } }), {});
});

test("a phone or tablet that says no more than its user agent is a usual one of its kind", () => {
  for (const [agent, width, device_pixel_ratio] of [
    ["Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Mobile/15E148 Safari/604.1", 390, 3],
    ["Mozilla/5.0 (iPad; CPU OS 12_2 like Mac OS X) Mobile/15E148", 820, 2],
    ["Mozilla/5.0 (Linux; Android 9; SM-T510) Safari/537.36", 820, 2],
    ["Mozilla/5.0 (Linux; Android 10; K) Mobile Safari/537.36", 412, 2.625],
  ] as const) {
    const device = deviceIn([{ path: "/", html: "", headers: { "User-Agent": agent } }]) as Record<string, unknown>;
    assert.deepEqual([device.user_agent, device.width, device.device_pixel_ratio], [agent, width, device_pixel_ratio]);
  }
});

test("a named device leaves nothing of the phone that a HAR was recorded on", () => {
  for (const [name, device] of Object.entries(namedDevices))
    assert.deepEqual(
      ["device_pixel_ratio", "height", "user_agent", "width"].filter((field) => !(field in device)),
      [],
      name,
    );
});
