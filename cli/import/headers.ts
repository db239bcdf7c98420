// Recorded headers as a replay may send them: names in lower case, without what belongs to one connection, to HTTP's
// framing or to the recorder, and without what is not legal in HTTP. Content-encoding is the body's matter.
import type { Header } from "../archive/archive.ts";
import type { NameValue } from "./har.ts";

// RFC 9110 7.6.1 and 9113 8.2.2.
const hopByHop = ["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"];

const removed: Record<"request" | "response", ReadonlySet<string>> = {
  request: new Set([...hopByHop, "host", "content-length", "proxy-authorization", "http2-settings"]),
  response: new Set([
    ...hopByHop,
    "content-length",
    "proxy-authenticate",
    // They would lead a browser from one lane into another.
    "alt-svc",
    "alternate-protocol",
    // Firefox writes them, no server.
    "x-firefox-spdy",
    "x-firefox-http3",
  ]),
};

const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
// Controls but the tab are illegal; bytes from 0x80 on are allowed to be there.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters meant
const illegalValue = /[\x00-\x08\x0a-\x1f\x7f]/;

export interface CleanHeaders {
  readonly headers: Header[];
  /** How many were left out because HTTP does not allow them. */
  readonly illegal: number;
}

export function cleanHeaders(recorded: readonly NameValue[], side: "request" | "response"): CleanHeaders {
  const headers: Header[] = [];
  let illegal = 0;
  for (const { name: recordedName, value: recordedValue } of recorded) {
    const name = recordedName.trim().toLowerCase();
    if (name.startsWith(":") || removed[side].has(name)) continue;
    // DevTools joins headers of one name (Set-Cookie) by line ends.
    for (const line of recordedValue.split("\n")) {
      const value = line.trim().toWellFormed();
      if (!token.test(name) || illegalValue.test(value)) illegal++;
      else headers.push([name, value]);
    }
  }
  return { headers, illegal };
}

/** The first value of a header; undefined where there is none. */
export function headerValue(headers: readonly Header[], name: string): string | undefined {
  return headers.find(([candidate]) => candidate === name)?.[1];
}
