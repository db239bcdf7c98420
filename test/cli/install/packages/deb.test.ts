// The Debian package's scripts, with a scratch folder in place of the system's: an AppArmor that cannot read the profile gets none.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "../../../../cli/base/programs.ts";
import { maintainerScripts } from "../../../../cli/install/packages/deb.ts";
import { tempFolder } from "../../../temp_folder.ts";

const scratch = tempFolder("trilane-deb-test-");

test("the AppArmor profile is there only for an AppArmor that can read it, and goes with the package", () => {
  for (const abi of ["3.0", "4.0"]) {
    const root = join(scratch, abi);
    const [abis, installed] = [join(root, "etc/apparmor.d/abi"), join(root, "usr/lib/trilane/cli/install")];
    for (const folder of [abis, installed]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(abis, abi), "");
    cpSync(join(checkout, "cli/install/apparmor.profile"), join(installed, "apparmor.profile"));
    const run = (script: string, ...words: string[]): void => {
      const text = (maintainerScripts[script] ?? "").replaceAll(/(?<=[ >])\/(?=etc|sys|usr\/lib)/g, `${root}/`);
      const { status, stderr } = spawnSync("sh", ["-c", text, script, ...words], { encoding: "utf8" });
      assert.deepEqual([status, stderr], [0, ""]);
    };
    const profile = join(root, "etc/apparmor.d/trilane");
    run("postinst", "configure", "");
    assert.equal(existsSync(profile), abi === "4.0", abi);
    if (abi === "4.0")
      assert.match(readFileSync(profile, "utf8"), /^profile trilane "\/usr\/lib\/trilane\/build\/native\//m);
    run("prerm", "upgrade", "9");
    assert.equal(existsSync(profile), abi === "4.0", "an upgrade keeps it");
    run("prerm", "remove");
    assert.ok(!existsSync(profile));
  }
});
