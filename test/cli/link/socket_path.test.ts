// Where a control socket of a given name is: nowhere that another user can put one, or read it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "../../../cli/base/programs.ts";
import { controlPath, newControlPath } from "../../../cli/link/socket_path.ts";
import { tempFolder } from "../../temp_folder.ts";
import { refusedIn } from "../refused.ts";

const folder = tempFolder("trilane-runtime-");

const own = `trilane-${process.geteuid?.()}`;
const mode = (path: string): number => statSync(path).mode & 0o777;

test("a name is a socket in the login's folder", () => {
  assert.equal(newControlPath("lab", { XDG_RUNTIME_DIR: folder }), join(folder, "trilane", "lab"));
  assert.equal(mode(join(folder, "trilane")), 0o700);
});

test("what has a slash is a path", () => {
  for (const path of ["/tmp/lab", "./lab"]) assert.equal(newControlPath(path, { XDG_RUNTIME_DIR: folder }), path);
});

test("without a login's folder it is one of the user's own among the temporary ones", () => {
  for (const runtime of [undefined, "run", join(folder, "none"), "/proc/self/stat"])
    assert.equal(newControlPath("lab", { XDG_RUNTIME_DIR: runtime, TMPDIR: folder }), join(folder, own, "lab"));
  assert.equal(mode(join(folder, own)), 0o700);
  chmodSync(join(folder, own), 0o777);
  newControlPath("lab", { TMPDIR: folder });
  assert.equal(mode(join(folder, own)), 0o700);
});

test("a folder that is another user's, or a symlink, is refused with what to do", (t) => {
  const parent = join(folder, "shared");
  mkdirSync(parent);
  const refused = () => {
    for (const pathOf of [newControlPath, controlPath])
      assert.throws(
        () => pathOf("lab", { TMPDIR: parent }),
        refusedIn(/is not a folder of yours: name the socket by a path/),
      );
  };
  symlinkSync(folder, join(parent, own));
  refused();
  if (process.geteuid?.() !== 0) return t.diagnostic("another user's: only root can make one");
  rmSync(join(parent, own));
  mkdirSync(join(parent, own));
  chownSync(join(parent, own), 12345, 12345);
  refused();
});

test("a folder that cannot be made is refused with what to do, before a shell says anything", () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  for (const parent of ["/proc", file]) {
    const { status, stderr } = spawnSync(
      join(checkout, "cli", "trilane"),
      ["shell", "--link", "1mbit/10ms", "--control", "lab", "--", "true"],
      { encoding: "utf8", timeout: 300_000, env: { ...process.env, XDG_RUNTIME_DIR: "", TMPDIR: parent } },
    );
    assert.equal(status, 2, stderr);
    assert.match(
      stderr,
      /^trilane: control: \S+ cannot be used \(\w+\): name the socket by a path, as .\/lab, or set XDG_RUNTIME_DIR\n$/,
    );
  }
});

test("who looks for a socket makes and changes no folder", () => {
  const parent = mkdtempSync(join(folder, "looked-"));
  assert.equal(controlPath("lab", { TMPDIR: parent }), join(parent, own, "lab"));
  assert.ok(!existsSync(join(parent, own)));
  mkdirSync(join(parent, own), 0o750);
  controlPath("lab", { TMPDIR: parent });
  assert.equal(mode(join(parent, own)), 0o750);
});

test("a socket of that name in this folder is pointed out", async () => {
  const server = createServer();
  const before = process.cwd();
  process.chdir(folder);
  try {
    await new Promise<void>((resolve) => server.listen("here", resolve));
    assert.throws(() => controlPath("here", { TMPDIR: folder }), {
      message: `control: no socket at ${join(folder, own, "here")}: for the one here write ./here`,
    });
  } finally {
    process.chdir(before);
    server.close();
  }
});
