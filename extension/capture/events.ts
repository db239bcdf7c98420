// The DevTools protocol events that a capture is made of. Types and names only: who attaches to the browser (puppeteer
// in the command line, chrome.debugger in the extension) passes each event on as it came.
import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping.js";

export const capturedMethods = [
  "Network.requestWillBeSent",
  "Network.requestWillBeSentExtraInfo",
  "Network.resourceChangedPriority",
  "Network.responseReceived",
  "Network.responseReceivedExtraInfo",
  "Network.responseReceivedEarlyHints",
  "Network.dataReceived",
  "Network.loadingFinished",
  "Network.loadingFailed",
  "Network.requestServedFromCache",
  "Page.frameNavigated",
  "Page.domContentEventFired",
  "Page.loadEventFired",
] as const;

export type CapturedMethod = (typeof capturedMethods)[number];

/** One event with the type of the target that sent it: page, iframe, worker, shared_worker, service_worker, ... */
export type CaptureEvent = {
  [M in CapturedMethod]: { method: M; params: ProtocolMapping.Events[M][0]; target: string };
}[CapturedMethod];
