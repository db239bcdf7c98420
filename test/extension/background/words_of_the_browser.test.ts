// The browser's own words, as Chromium 156 and Firefox 153 have them, and what people read instead.
import assert from "node:assert/strict";
import { test } from "node:test";
import { attachFailure } from "../../../extension/background/debugger_session.ts";
import { endOf } from "../../../extension/background/native_port.ts";

test("why a tab cannot be watched", () => {
  const cases: [message: string, url: string, code: string][] = [
    ["Another debugger is already attached to the tab with id: 12.", "https://a.test/", "debugger-taken"],
    ["Cannot access a chrome:// URL", "chrome://version/", "page-not-allowed"],
    ["Cannot access a chrome-extension:// URL of different extension", "chrome-extension://x/", "page-not-allowed"],
    ["The extensions gallery cannot be scripted.", "https://chromewebstore.google.com/", "page-not-allowed"],
    ["Cannot attach to this target.", "devtools://x", "page-not-allowed"],
    ['Cannot access contents of url "file:///x.html".', "file:///x.html", "file-not-allowed"],
    ["Missing host permission for the tab, and any iframes", "about:config", "page-not-allowed"],
    ["No tab with given id 12.", "", "no-page"],
    ["Something new.", "https://a.test/", "failed"],
  ];
  for (const [message, url, code] of cases) {
    const { failure } = attachFailure(message, url);
    assert.equal(failure.code, code, message);
    assert.ok(failure.remedy.length > 0);
  }
});

test("why the host is gone", () => {
  const cases: [message: string, code: string][] = [
    ["Specified native messaging host not found.", "host-missing"],
    ["Access to the specified native messaging host is forbidden.", "host-missing"],
    ["No such native application dev.trilane.host", "host-missing"],
    ["Failed to start native messaging host.", "host-ended"],
    ["Native host has exited.", "host-ended"],
    ["Error when communicating with the native messaging host.", "host-garbage"],
    ["", "host-ended"],
  ];
  for (const [message, code] of cases) {
    assert.equal(endOf(message).failure.code, code, message);
    assert.ok(endOf(message).failure.remedy.length > 0);
  }
});
