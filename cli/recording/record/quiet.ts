// When a page has come to rest: nothing under way for a while. Reads a clock; knows no browser.
import { setTimeout as delay } from "node:timers/promises";
import { waitedFor } from "../../../extension/capture/at_rest.ts";
import type { Capture } from "../../../extension/capture/requests.ts";

const poll_ms = 50;

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
    if (silent_ms >= quiet_ms && waitedFor(capture, silent_ms).length === 0) return true;
    if (now_ms >= until_ms) return false;
    await delay(Math.min(poll_ms, Math.max(1, until_ms - now_ms)), undefined, signal ? { signal } : {});
  }
}
