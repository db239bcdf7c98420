// cli/load/quiet_page.ts: until when a page is watched, on a clock of the test's own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { underWayIn } from "../../../cli/browser/chromium_engine.ts";
import { quiet_ms, quietAtMost_ms, untilQuiet } from "../../../cli/load/quiet_page.ts";
import { type Capture, newCapture, take } from "../../../extension/capture/requests.ts";

interface Made {
  /** Requests of a URL: when they begin and end, ms after the load event. */
  readonly requests?: readonly { readonly from: number; readonly to: number; readonly type?: string }[];
  /** Ends of long tasks. */
  readonly tasks?: readonly number[];
  readonly settle_ms?: number;
}

async function watch({ requests = [], tasks = [], settle_ms = 0 }: Made) {
  let now = 0;
  const capture: Capture = newCapture("main");
  const begun = new Set<number>();
  const tell = () => {
    for (const [index, { from, to, type = "Fetch" }] of requests.entries()) {
      const requestId = String(index);
      const at_ms = now;
      if (at_ms >= from && !begun.has(index)) {
        begun.add(index);
        const request = { url: "https://shop.example/", headers: {}, initialPriority: "Low" };
        const params = { requestId, request, type, documentURL: "https://shop.example/", timestamp: from };
        take(capture, { method: "Network.requestWillBeSent", params, target: "page" } as never);
      }
      const latest = capture.latest.get(requestId);
      if (at_ms >= to && latest) latest.end ??= { how: "finished", timestamp_s: to, encodedBytes: 1 };
    }
  };
  tell();
  const quiet = await untilQuiet({
    page: {
      underWay: (silent_ms) => underWayIn(capture, silent_ms),
      evaluate: async () => now - Math.max(Number.NEGATIVE_INFINITY, ...tasks.filter((end) => end <= now)),
    },
    settle_ms,
    now_ms: () => now,
    wait: async (time_ms) => {
      now += time_ms;
      tell();
    },
  });
  return { quiet, at_ms: now };
}

const near = ({ quiet, at_ms }: { quiet: boolean; at_ms: number }, expected_ms: number): void => {
  assert.equal(quiet, true);
  assert.ok(at_ms >= expected_ms && at_ms <= expected_ms + 150, `${at_ms} is not ${expected_ms}`);
};

test("a page that does nothing is quiet half a second after its load event, or when it was to be watched until", async () => {
  near(await watch({}), quiet_ms);
  near(await watch({ settle_ms: 3000 }), 3000);
});

test("a request and a long task begin the half second anew", async () => {
  near(await watch({ requests: [{ from: 200, to: 1700 }] }), 1700 + quiet_ms);
  near(await watch({ tasks: [100, 550] }), 550 + quiet_ms);
  near(await watch({ requests: [{ from: 200, to: 700 }], tasks: [1000] }), 1000 + quiet_ms);
});

test("a stream is not waited for; a page that goes on for ever is given up", async () => {
  near(await watch({ requests: [{ from: 0, to: Number.POSITIVE_INFINITY, type: "EventSource" }] }), quiet_ms);
  const polls = Array.from({ length: 100 }, (_, index) => ({ from: index * 200, to: index * 200 + 50 }));
  const { quiet, at_ms } = await watch({ requests: polls });
  assert.equal(quiet, false);
  assert.ok(at_ms >= quietAtMost_ms && at_ms < quietAtMost_ms + 200, String(at_ms));
});
