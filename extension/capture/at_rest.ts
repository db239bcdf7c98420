// What of a capture is still waited for, when the question is whether a page has come to rest. Pure; reads no clock.
import { type Capture, type CapturedRequest, isUnderWay } from "./requests.ts";

// These last as long as the page does.
const endlessTypes = new Set(["EventSource", "WebSocket", "Ping"]);
const tellingTakes_ms = 2000;

/**
 * The network had the answer and no session reported it: the script of a shared worker, whose session is not ours. Only time
 * distinguishes it from one that is just being reported.
 */
const isReportedElsewhere = (capture: Capture, { requestId, response }: CapturedRequest): boolean =>
  response === null && (capture.extraInfos.get(requestId)?.responses.length ?? 0) > 0;

/** Requests that are under way, and not for as long as the page is there. `silent_ms`: since the last event. */
export function waitedFor(capture: Capture, silent_ms: number): CapturedRequest[] {
  return capture.requests.filter(
    (request) =>
      isUnderWay(request) &&
      !endlessTypes.has(request.sent.type ?? "") &&
      /^https?:/i.test(request.sent.request.url) &&
      (silent_ms < tellingTakes_ms || !isReportedElsewhere(capture, request)),
  );
}
