// The page's later parts in a browser that does not tell its pauses: all are built nevertheless, one in each turn.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";

const script = readFileSync(join(import.meta.dirname, "../../../../cli/report/page/later.js"), "utf8");

/** What the script uses of a page with `parts` sections, and the timers that it set. */
function pageOf(parts: number) {
  const built: number[] = [];
  const timers: (() => void)[] = [];
  const later = Array.from({ length: parts }, (_, part) => {
    const self = { isConnected: true, textContent: "", replaceWith: () => built.push(part), closest: () => section };
    const section = { querySelector: () => self, dispatchEvent: () => true };
    return self;
  });
  const scope = {
    all: () => [...later],
    document: { createElement: () => ({ content: {} }), addEventListener: () => {} },
    Event,
    addEventListener: (name: string, heard: () => void) => name === "load" && timers.push(heard),
    setTimeout: (go: (told: unknown) => void, _ms: number, told: unknown) => timers.push(() => go(told)),
  };
  return { scope, built, timers };
}

test("without requestIdleCallback every part is built, one in a turn", () => {
  const { scope, built, timers } = pageOf(3);
  runInContext(script, createContext(scope));
  const counts = [];
  for (let next = timers.shift(); next; next = timers.shift()) {
    next();
    counts.push(built.length);
  }
  // The load event, the wait after it, and the turns.
  assert.deepEqual(counts, [0, 0, 1, 2, 3]);
  assert.deepEqual(built, [0, 1, 2]);
});

test("with it, as many in a pause as it has time for", () => {
  const { scope, built, timers } = pageOf(3);
  const requestIdleCallback = (go: (pause: { timeRemaining(): number }) => void) =>
    timers.push(() => go({ timeRemaining: () => 50 }));
  runInContext(script, createContext({ ...scope, requestIdleCallback }));
  for (let next = timers.shift(); next; next = timers.shift()) next();
  assert.deepEqual(built, [0, 1, 2]);
});
