// What errors of the system say to a user, in one line with the status of the command.
import assert from "node:assert/strict";
import { test } from "node:test";
import { explain } from "../../../cli/base/errors.ts";

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
