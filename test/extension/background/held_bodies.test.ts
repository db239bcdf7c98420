// Contents that a race may want: in memory for five minutes, for one page, and a call to the browser every 20 s meanwhile, without which the
// service worker sleeps and they are gone.
import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { dropBodies, type HeldBodies, heldBodies, holdBodies } from "../../../extension/background/held_bodies.ts";

const stored: Record<string, unknown> = {};
let calls = 0;
const chromeOfTest = {
  runtime: { getPlatformInfo: () => Promise.resolve(void calls++) },
  storage: {
    session: {
      get: (key: string) => Promise.resolve({ [key]: stored[key] }),
      set: (values: object) => Promise.resolve(void Object.assign(stored, values)),
    },
  },
};

const bodies: HeldBodies = {
  ofResponses: new Map([[0, "x"]]) as unknown as HeldBodies["ofResponses"],
  ofRequests: new Map(),
};

beforeEach(() => {
  calls = 0;
  Object.assign(globalThis, { chrome: chromeOfTest });
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
});
afterEach(async () => {
  await dropBodies();
  mock.timers.reset();
});

test("while they are held the browser is called every 20 s; after five minutes they are gone, and so are the calls", async () => {
  await holdBodies("one", bodies);
  mock.timers.tick(19_999);
  assert.equal(calls, 0);
  mock.timers.tick(1);
  assert.equal(calls, 1);
  mock.timers.tick(100_000);
  assert.equal(calls, 6);
  assert.equal(heldBodies("one")?.ofResponses.size, 1);
  mock.timers.tick(180_000);
  assert.equal(heldBodies("one"), null);
  const atEnd = calls;
  mock.timers.tick(60_000);
  assert.equal(calls, atEnd);
});

test("another page's take their place, and have one timer; dropped ones have none", async () => {
  await holdBodies("one", bodies);
  await holdBodies("two", bodies);
  assert.equal(heldBodies("one"), null);
  mock.timers.tick(20_000);
  assert.equal(calls, 1);
  await dropBodies();
  mock.timers.tick(100_000);
  assert.equal(calls, 1);
  assert.equal(heldBodies("two"), null);
});
