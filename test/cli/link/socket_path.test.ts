// Where a control socket of a given name is: nowhere that another user can put one, or read it.
import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { UserError } from "../../../cli/base/errors.ts";
import { controlPath } from "../../../cli/link/socket_path.ts";

const folder = mkdtempSync(join(tmpdir(), "trilane-runtime-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const own = `trilane-${process.geteuid?.()}`;
const mode = (path: string): number => statSync(path).mode & 0o777;

test("a name is a socket in the login's folder", () => {
  assert.equal(controlPath("lab", { XDG_RUNTIME_DIR: folder }), join(folder, "trilane", "lab"));
  assert.equal(mode(join(folder, "trilane")), 0o700);
});

test("what has a slash is a path", () => {
  for (const path of ["/tmp/lab", "./lab"]) assert.equal(controlPath(path, { XDG_RUNTIME_DIR: folder }), path);
});

test("without a login's folder it is one of the user's own among the temporary ones", () => {
  for (const runtime of [undefined, "run", join(folder, "none"), "/proc/self/stat"])
    assert.equal(controlPath("lab", { XDG_RUNTIME_DIR: runtime, TMPDIR: folder }), join(folder, own, "lab"));
  assert.equal(mode(join(folder, own)), 0o700);
  chmodSync(join(folder, own), 0o777);
  controlPath("lab", { TMPDIR: folder });
  assert.equal(mode(join(folder, own)), 0o700);
});

test("a folder that is another user's, or a symlink, is refused with what to do", (t) => {
  const parent = join(folder, "shared");
  mkdirSync(parent);
  const refused = () =>
    assert.throws(
      () => controlPath("lab", { TMPDIR: parent }),
      (error) =>
        error instanceof UserError && /is not a folder of yours: name the socket by a path/.test(error.message),
    );
  symlinkSync(folder, join(parent, own));
  refused();
  if (process.geteuid?.() !== 0) return t.diagnostic("another user's: only root can make one");
  rmSync(join(parent, own));
  mkdirSync(join(parent, own));
  chownSync(join(parent, own), 12345, 12345);
  refused();
});
