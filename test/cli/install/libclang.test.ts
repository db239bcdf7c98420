// cli/install/libclang.py: what has libclang's name is tried, and what bindgen could not use is not libclang.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "../../../cli/base/programs.ts";
import { notInstalled } from "../../../cli/install/requirements.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-libclang-");

function look(): { status: number | null; stderr: string } {
  const environment = { ...process.env, LIBCLANG_PATH: folder };
  const script = join(checkout, "cli", "install", "libclang.py");
  const { status, stderr } = spawnSync("python3", [script], { encoding: "utf8", env: environment, timeout: 60_000 });
  return { status, stderr };
}

// Where quiche is built already, set-up does not ask for Python.
test("libclang-cpp is another library, and a file is none", { skip: notInstalled(["python3"]) ?? false }, () => {
  writeFileSync(join(folder, "libclang-cpp.so.14"), "");
  assert.deepEqual(look(), { status: 1, stderr: "no libclang found\n" });
  writeFileSync(join(folder, "libclang.so.1"), "not a library\n");
  const { status, stderr } = look();
  assert.equal(status, 1);
  assert.match(stderr, /libclang\.so\.1: .*(invalid ELF header|too short)\n$/);
});
