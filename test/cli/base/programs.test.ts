// Which browser is taken, and what is said of those that no lab can start.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { browserProgram, chromiumPath } from "../../../cli/base/programs.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-programs-test-");

function program(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}

const browser = program("chromium", "#!/bin/sh\n");

test("the variable names the browser; the one of before 0.3 still does, and yields to the new one", () => {
  assert.equal(chromiumPath({ TRILANE_BROWSER: browser }), browser);
  assert.equal(chromiumPath({ TRILANE_CHROMIUM: browser }), browser);
  assert.equal(chromiumPath({ TRILANE_BROWSER: browser, TRILANE_CHROMIUM: "/nonexistent" }), browser);
  assert.throws(
    () => chromiumPath({ TRILANE_BROWSER: "/nonexistent" }),
    /^UserError: no program at \/nonexistent \(TRILANE_BROWSER\)/,
  );
  assert.equal(browserProgram(browser), browser);
});

test("Firefox as a snap, a script that starts one, or a Flatpak is named with Firefox's remedy", () => {
  const script = program("firefox", '#!/bin/sh\nexec /snap/bin/firefox "$@"\n');
  for (const [path, kind] of [
    [script, "snap"],
    ["/snap/bin/firefox", "snap"],
    ["/var/lib/flatpak/exports/bin/org.mozilla.firefox", "Flatpak"],
  ] as const) {
    const words = new RegExp(`is a ${kind}, which no lab can start: install it \\(apt install firefox-esr\\)`);
    assert.throws(() => browserProgram(path), words);
  }
});

test("a snap, a script that starts one, and a Flatpak are named with the remedy", () => {
  const script = program("chromium-browser", '#!/bin/sh\nexec /snap/bin/chromium "$@"\n');
  for (const [path, kind] of [
    [script, "snap"],
    ["/snap/bin/chromium", "snap"],
    ["/var/lib/flatpak/exports/bin/org.chromium.Chromium", "Flatpak"],
  ] as const) {
    const words = new RegExp(`is a ${kind}, which no lab can start: (install another|name Chromium's binary)`);
    assert.throws(() => browserProgram(path), words);
    assert.throws(() => chromiumPath({ TRILANE_BROWSER: path }), words);
  }
});
