// What errors of the system say to a user, in one line with the status of the command.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { explain } from "../../../cli/base/errors.ts";
import { makeFolder } from "../../../cli/base/make_folder.ts";
import { tempFolder } from "../../temp_folder.ts";

const lost = (path: string): Promise<unknown> =>
  import(`file:///nowhere/${path}`).then(
    () => null,
    (error: unknown) => error,
  );

test("a piece of the bundle that an upgrade took away is said to be that; another lost module is a fault of ours", async () => {
  assert.deepEqual(explain(await lost("build/cli/report-RAIMYN3H.js")), {
    line: "Trilane was upgraded or removed while this ran: run the command again; what was measured is stored",
    status: 75,
  });
  assert.equal(explain(await lost("cli/report/report.ts")), null);
});

test("a file that stands where a folder is needed is named, with the remedy", () => {
  const file = join(tempFolder("trilane-errors-"), "file");
  writeFileSync(file, "");
  for (const [act, named] of [
    [() => makeFolder(file), file],
    [() => makeFolder(join(file, "below")), file],
    [() => readdirSync(file), file],
    [() => mkdirSync(join(file, "below")), join(file, "below")],
  ] as const) {
    let explained: ReturnType<typeof explain> = null;
    try {
      act();
    } catch (error) {
      explained = explain(error);
    }
    assert.deepEqual(explained, { line: `${named}: is not a folder: name another`, status: 2 });
  }
});

test("a copy that has no room names the file that it writes, not the one that it reads", () => {
  const full = { code: "ENOSPC", syscall: "copyfile", path: "/read", dest: "/written" };
  assert.match(explain(Object.assign(new Error(), full))?.line ?? "", /^\/written: no space left: free some/);
});
