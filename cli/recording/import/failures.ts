// How the requests failed that a HAR has no response for, or one that the browser did not take: what the replay needs to
// make them fail again (native-host/archive/recorded_failures.h). Pure.

import { numberField, textField } from "../../base/json_fields.ts";
import type { HarEntry } from "./har.ts";

/**
 * name: the host's name was not found. blocked: the browser did not send it (an ad blocker's doing, mixed content).
 * aborted: the page gave it up. connection: something else that has a name. unknown: the HAR does not say.
 */
export type FailureKind = "name" | "blocked" | "aborted" | "connection" | "unknown";

const kinds: readonly (readonly [FailureKind, RegExp])[] = [
  // Chromium, Firefox, Safari and Node; WinINet's number, as WebPageTest has it.
  ["name", /NAME_NOT_RESOLVED|NAME_RESOLUTION_FAILED|ERR_DNS_|UNKNOWN_HOST|CannotFindHost|ENOTFOUND|^12007$/i],
  ["blocked", /BLOCKED_BY_(CLIENT|ADMINISTRATOR|CSP)|^blocked:|UNSAFE_(PORT|REDIRECT)|mixed.?content/i],
  ["aborted", /ERR_ABORTED|BINDING_ABORTED|cancell?ed/i],
];

/** What the producer says of why; null where it says nothing. */
function errorOf({ raw, response, status }: HarEntry): string | null {
  for (const record of [response, raw]) {
    for (const name of ["_error", "_errorText", "_errorMessage"]) {
      const text = textField(record, name);
      if (text) return text;
    }
  }
  const code = numberField(raw, "_responseCode") ?? status;
  return code > 999 ? String(code) : null;
}

export function failureKind(entry: HarEntry): FailureKind {
  const error = errorOf(entry);
  if (error === null) return "unknown";
  return kinds.find(([, pattern]) => pattern.test(error))?.[0] ?? "connection";
}

// A recording's notes have 448 KiB, and hold each of these URLs twice.
const failures_bytes = 160 * 1024;

type Failures = Readonly<Record<string, FailureKind>>;

/** As many of them as a recording has room for, from the first; a page may fail ten thousand times. */
export function fittingFailures(failures: Failures): { readonly kept: Failures; readonly leftOut: number } {
  const all = Object.entries(failures);
  let size_bytes = 0;
  const end = all.findIndex(([url]) => {
    size_bytes += Buffer.byteLength(JSON.stringify(url));
    return size_bytes > failures_bytes;
  });
  if (end < 0) return { kept: failures, leftOut: 0 };
  return { kept: Object.fromEntries(all.slice(0, end)), leftOut: all.length - end };
}
