// When a page counts as come to rest. Waits in real time, but judges only what came to be, not when.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Protocol } from "devtools-protocol";
import { comesToRest } from "../../../../cli/recording/record/record_page.ts";
import { type Capture, newCapture, take } from "../../../../extension/capture/requests.ts";

interface Sent {
  readonly requestId: string;
  readonly url?: string;
  readonly type?: Protocol.Network.ResourceType;
}

function send(capture: Capture, { requestId, url = "https://a.test/", type = "Fetch" }: Sent): void {
  const params = {
    requestId,
    type,
    timestamp: 1,
    documentURL: "https://a.test/",
    request: { url, initialPriority: "High" },
  };
  take(capture, {
    method: "Network.requestWillBeSent",
    params: params as Protocol.Network.RequestWillBeSentEvent,
    target: "page",
  });
}

function finish(capture: Capture, requestId: string): void {
  const params = { requestId, timestamp: 2, encodedDataLength: 0 };
  take(capture, { method: "Network.loadingFinished", params, target: "page" });
}

const soon = (): number => performance.now() + 300;
const longAgo = (): number => performance.now() - 10_000;

test("with nothing under way and nothing told for long enough, at once", async () => {
  const capture = newCapture("main");
  send(capture, { requestId: "1" });
  finish(capture, "1");
  assert.equal(await comesToRest(capture, longAgo, 1000, performance.now() - 1), true);
});

test("not while something is told, nor while a request is under way", async () => {
  const capture = newCapture("main");
  assert.equal(await comesToRest(capture, () => performance.now(), 1000, soon()), false);
  send(capture, { requestId: "1" });
  assert.equal(await comesToRest(capture, longAgo, 1000, soon()), false);
  setTimeout(() => finish(capture, "1"), 50);
  assert.equal(await comesToRest(capture, longAgo, 1000, performance.now() + 60_000), true);
});

test("what lasts as long as the page is not waited for, nor what is no request", async () => {
  const capture = newCapture("main");
  send(capture, { requestId: "1", type: "EventSource" });
  send(capture, { requestId: "2", url: "data:text/plain,x" });
  assert.equal(await comesToRest(capture, longAgo, 1000, performance.now() - 1), true);
});

test("a request whose answer another session was told is given up, but not at once", async () => {
  const capture = newCapture("main");
  send(capture, { requestId: "1" });
  const params = { requestId: "1", statusCode: 200, headers: {} } as Protocol.Network.ResponseReceivedExtraInfoEvent;
  take(capture, { method: "Network.responseReceivedExtraInfo", params, target: "page" });
  const justNow = (): number => performance.now() - 20;
  assert.equal(await comesToRest(capture, justNow, 10, soon()), false);
  assert.equal(await comesToRest(capture, longAgo, 10, performance.now() - 1), true);
});

test("nobody waits for a page whose browser has gone", async () => {
  const capture = newCapture("main");
  send(capture, { requestId: "1" });
  const gone = new AbortController();
  setTimeout(() => gone.abort(), 60);
  await assert.rejects(comesToRest(capture, longAgo, 10, performance.now() + 3_600_000, gone.signal), /aborted/);
});
