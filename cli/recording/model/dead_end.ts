// Whether a browser that follows the start URL's recorded redirects comes to a page at all. Pure.

import { UserError } from "../../base/errors.ts";
import type { RecordingDetail } from "../archive/archive.ts";
import { requestKey } from "../archive/recorded_requests.ts";
import { modelRequest } from "./model_request.ts";

/** Chromium gives up after as many. */
const mostRedirects = 20;

/** `isCircle`: browsers end with ERR_TOO_MANY_REDIRECTS. */
function deadEnd({
  recording,
  exchanges,
}: RecordingDetail): { readonly how: string; readonly isCircle: boolean } | null {
  const keyOf = (url: string): string => requestKey("GET", url);
  const answers = Map.groupBy(exchanges.map(modelRequest), ({ url }) => keyOf(url));
  const uses = new Map<string, number>();
  let url = recording.url;
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const key = keyOf(url);
    const recorded = answers.get(key);
    if (!recorded)
      return redirects > 0 ? { how: `redirects to ${url}, which is not in the recording`, isCircle: false } : null;
    // Each answer in its turn, then the last one again.
    const turn = uses.get(key) ?? 0;
    uses.set(key, turn + 1);
    const next = recorded[Math.min(turn, recorded.length - 1)]?.location ?? null;
    if (next === null) return null;
    url = next;
  }
  return { how: "redirects in a circle (ERR_TOO_MANY_REDIRECTS)", isCircle: true };
}

const deadEndError = (name: string, how: string): UserError =>
  new UserError(`${name}: its start URL ${how}: import it with --url PAGE`);

/** UserError for a recording whose start URL redirects in a circle: no load of it comes to an end on any lane. */
export function refuseCircle(detail: RecordingDetail): void {
  const end = deadEnd(detail);
  if (end?.isCircle) throw deadEndError(detail.recording.name, end.how);
}

/** UserError for a recording that has no page behind its start URL, modelled or not. */
export function refuseDeadEnd(detail: RecordingDetail): void {
  const end = deadEnd(detail);
  if (end !== null) throw deadEndError(detail.recording.name, end.how);
}
