// A reader that goes away ends what only prints as done, and work that is under way as interrupted.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { closedPipe, watchSignals } from "../../../cli/base/interruption.ts";

/** Ends like a process: nothing follows its exit. */
class Exited extends Error {}

test("what only prints ends with status 0, or with that of the failure that came before", () => {
  for (const [exitCode, status] of [
    [undefined, "0"],
    [1, "1"],
    [3, "3"],
  ] as const) {
    const program = Object.assign(new EventEmitter(), {
      exitCode,
      exit: (ended: unknown): never => {
        throw new Exited(String(ended));
      },
    });
    assert.throws(() => closedPipe(program as unknown as NodeJS.Process).close(), new Exited(status));
  }
});

test("a race ends as by the terminal's closing, once however many writes fail", () => {
  const interruption = watchSignals();
  try {
    const pipe = closedPipe(process);
    assert.equal(pipe.isClosed(), false);
    for (let write = 0; write < 3; write++) pipe.close();
    assert.equal(pipe.isClosed(), true);
    assert.deepEqual([interruption.signal.aborted, interruption.received()], [true, "SIGHUP"]);
  } finally {
    interruption.ignore();
  }
});
