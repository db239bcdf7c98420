// When a page has come to rest: nothing under way for a while. Reads a clock; knows no browser.
import { setTimeout as delay } from "node:timers/promises";
import { type Capture, type CapturedRequest, isUnderWay } from "../../extension/capture/requests.ts";

// These last as long as the page does.
const endlessTypes = new Set(["EventSource", "WebSocket", "Ping"]);
const poll_ms = 50;

/** Under way, and not for as long as the page is there. */
function waitedFor(capture: Capture): CapturedRequest[] {
  return capture.requests.filter(
    (request) =>
      isUnderWay(request) && !endlessTypes.has(request.sent.type ?? "") && /^https?:/i.test(request.sent.request.url),
  );
}

/**
 * The network had the answer and no session told of it: the script of a shared worker, whose session is not ours. Told
 * apart from one that is just being told by time only.
 */
const isToldElsewhere = (capture: Capture, { requestId, response }: CapturedRequest): boolean =>
  response === null && (capture.extraInfos.get(requestId)?.responses.length ?? 0) > 0;
const tellingTakes_ms = 2000;

/**
 * True as soon as for `quiet_ms` nothing was told and nothing is under way; false where `until_ms` comes first. Rejects with
 * the signal.
 */
export async function comesToRest(
  capture: Capture,
  lastEvent_ms: () => number,
  quiet_ms: number,
  until_ms: number,
  signal?: AbortSignal,
): Promise<boolean> {
  for (;;) {
    const now_ms = performance.now();
    const silent_ms = now_ms - lastEvent_ms();
    const left = waitedFor(capture).filter(
      (request) => silent_ms < tellingTakes_ms || !isToldElsewhere(capture, request),
    );
    if (left.length === 0 && silent_ms >= quiet_ms) return true;
    if (now_ms >= until_ms) return false;
    await delay(Math.min(poll_ms, Math.max(1, until_ms - now_ms)), undefined, signal ? { signal } : {});
  }
}
