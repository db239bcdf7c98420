// A process that may open too few files says so before a lab is made, not with a module that cannot be loaded in the midst of a load.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "../../../cli/base/programs.ts";
import { refuseFewDescriptors } from "../../../cli/load/lab.ts";

const limits = (soft: string, hard: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${soft}                  ${hard}                  files\n`;

test("the hard limit counts, because Node raises the soft one to it", () => {
  refuseFewDescriptors(limits("128", "4096"));
  refuseFewDescriptors(limits("unlimited", "unlimited"));
  refuseFewDescriptors("");
  assert.throws(
    () => refuseFewDescriptors(limits("128", "128")),
    /^UserError: this process may open 128 files, and a lab needs 256: allow more/,
  );
});

test("a lab that is tried with 128 is one line", () => {
  const script = `import { tryLab } from ${JSON.stringify(join(checkout, "cli", "load", "lab.ts"))}; await tryLab().catch((error) => console.log(error.message))`;
  const words = ["-c", 'ulimit -n 128 && exec "$@"', "sh", process.execPath, "--input-type=module", "-e", script];
  const { stdout } = spawnSync("sh", words, { encoding: "utf8" });
  assert.match(stdout, /^this process may open 128 files, and a lab needs 256: allow more \(ulimit -n 4096/);
});
