// The bodies of captured requests and responses, read once the page is quiet: DevTools gives them decoded, as text or
// base64, as long as the browser has kept them. Knows what to ask; who attaches to the browser sends it.
import type { Capture, CapturedRequest } from "./requests.ts";

/** As HAR's content has it. */
export interface BodyText {
  readonly text: string;
  readonly encoding?: "base64";
}

export interface BodyTexts {
  readonly ofResponses: ReadonlyMap<CapturedRequest, BodyText>;
  /** Those that were too large for the event that reported the request. */
  readonly ofRequests: ReadonlyMap<CapturedRequest, string>;
}

/** Sends a command to the session that reported the request. Rejects where the browser has no answer. */
export interface BodyCommands {
  responseBody(requestId: string): Promise<{ body: string; base64Encoded: boolean }>;
  requestBody(requestId: string): Promise<{ postData: string }>;
}

/** Whether there is a body to ask for: redirects' are not kept, and preflights have none that a page could see. */
export function hasBodyToAsk({ end, response, sent }: CapturedRequest): boolean {
  return (
    end?.how === "finished" &&
    response !== null &&
    sent.initiator.type !== "preflight" &&
    sent.request.method !== "HEAD"
  );
}

const isCutOff = ({ sent: { request } }: CapturedRequest): boolean =>
  request.hasPostData === true && request.postData === undefined && (request.postDataEntries ?? []).length === 0;

/** Asks one after the other, so that no more than one body is under way. A body that the browser has dropped is left out. */
export async function askBodies(
  capture: Capture,
  commands: BodyCommands,
  wanted: (request: CapturedRequest) => boolean = () => true,
): Promise<BodyTexts> {
  const ofResponses = new Map<CapturedRequest, BodyText>();
  const ofRequests = new Map<CapturedRequest, string>();
  for (const request of capture.requests) {
    if (hasBodyToAsk(request) && wanted(request)) {
      const answer = await commands.responseBody(request.requestId).catch(() => null);
      if (answer)
        ofResponses.set(request, { text: answer.body, ...(answer.base64Encoded ? { encoding: "base64" } : {}) });
    }
    if (isCutOff(request)) {
      const answer = await commands.requestBody(request.requestId).catch(() => null);
      if (answer) ofRequests.set(request, answer.postData);
    }
  }
  return { ofResponses, ofRequests };
}
