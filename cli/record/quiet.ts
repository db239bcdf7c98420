// When a page has come to rest: nothing under way for a while. Reads a clock; knows no browser.
import { setTimeout as delay } from "node:timers/promises";
import { type Capture, type CapturedRequest, isUnderWay } from "../../extension/capture/requests.ts";

// These last as long as the page does.
const endlessTypes = new Set(["EventSource", "WebSocket", "Ping"]);
const poll_ms = 50;

export function waitedFor(capture: Capture): CapturedRequest[] {
  return capture.requests.filter(
    (request) =>
      isUnderWay(request) && !endlessTypes.has(request.sent.type ?? "") && /^https?:/i.test(request.sent.request.url),
  );
}

/** True as soon as for `quiet_ms` nothing was told and nothing is under way; false where `until_ms` comes first. */
export async function comesToRest(
  capture: Capture,
  lastEvent_ms: () => number,
  quiet_ms: number,
  until_ms: number,
): Promise<boolean> {
  for (;;) {
    const now_ms = performance.now();
    if (waitedFor(capture).length === 0 && now_ms - lastEvent_ms() >= quiet_ms) return true;
    if (now_ms >= until_ms) return false;
    await delay(Math.min(poll_ms, Math.max(1, until_ms - now_ms)));
  }
}
