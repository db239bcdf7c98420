// The doctor on the extension's host: a manifest that a browser would start, and every way in which it would not.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hostChecks } from "../../../../cli/install/doctor/host_checks.ts";
import { manifestPath, manifestText } from "../../../../cli/install/host/manifest.ts";
import { tempFolder } from "../../../temp_folder.ts";

test("not installed is a hint, a whole installation is ok, and what is broken is named", () => {
  const home = tempFolder("trilane-host-checks-");
  const look = () =>
    hostChecks({ HOME: home }, ["user"]).map(({ outcome, found, remedy }) => `${outcome}: ${found} | ${remedy}`);
  assert.match(look().join(), /^warning: not installed \| run `trilane install-host`/);

  const hosts = join(home, ".config", "chromium", "NativeMessagingHosts");
  mkdirSync(hosts, { recursive: true });
  const program = join(home, "host");
  const write = (text: string): void => writeFileSync(manifestPath(hosts), text);
  const cases: [text: string, said: RegExp][] = [
    ["{", /is not JSON/],
    ["null", /names no program/],
    [manifestText(program).replaceAll("chrome-extension://", "chrome-extension://a"), /for another extension/],
    [manifestText(program), /host: is not there/],
  ];
  for (const [text, said] of cases) {
    write(text);
    assert.match(look().join("\n"), said);
    assert.match(look().join("\n"), /^warning: [^\n]* \| run `trilane install-host` again[^\n]*$/);
  }
  writeFileSync(program, "#!/bin/sh\necho trilane-host 1.2.3\n", { mode: 0o644 });
  assert.match(look().join(), /is not executable/);
  rmSync(program);
  writeFileSync(program, "#!/bin/sh\necho trilane-host 1.2.3\n", { mode: 0o755 });
  assert.deepEqual(look(), [`ok: Chromium: ${program}, trilane-host 1.2.3 | null`]);

  mkdirSync(join(home, "snap", "chromium"), { recursive: true });
  assert.match(look()[1] ?? "", /^warning: Chromium's snap \| it starts no program of this machine/);
});
