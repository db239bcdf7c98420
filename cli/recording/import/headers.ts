// Recorded headers as a replay may send them: names in lower case, without what belongs to one connection, to HTTP's
// framing or to the recorder, and without what is not legal in HTTP. Values of credentials are crossed out unless they are
// to be kept. Content-encoding is the body's matter.
import { redactedValue, type Side } from "../../../extension/har/redact.ts";
import type { Header } from "../archive/archive.ts";
import type { NameValue } from "./har.ts";

// What a request line can carry; schemas/message.schema.json asks for the same.

export const legalMethod = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
export const legalPath = /^\/[!-~]*$/;

// RFC 9110 7.6.1 and 9113 8.2.2.
const hopByHop = ["connection", "keep-alive", "proxy-connection", "te", "upgrade"];

const removed: Record<Side, ReadonlySet<string>> = {
  request: new Set([...hopByHop, "host", "proxy-authorization", "http2-settings"]),
  response: new Set([
    ...hopByHop,
    "proxy-authenticate",
    // They would lead a browser from one lane into another.
    "alt-svc",
    "alternate-protocol",
  ]),
};

const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
// Controls but the tab are illegal; bytes from 0x80 on are allowed to be there.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters meant
const illegalValue = /[\x00-\x08\x0a-\x1f\x7f]/;

/** What each lane makes anew, or what Firefox writes and no server: nothing is lost of these. */
const notOfTheServer: ReadonlySet<string> = new Set([
  "content-length",
  "transfer-encoding",
  "trailer",
  "x-firefox-spdy",
  "x-firefox-http3",
]);

interface CleanHeaders {
  readonly headers: Header[];
  /** As recorded, what no lane may send: of one connection, which HTTP/2 and HTTP/3 forbid, or illegal in all of HTTP. */
  readonly unsent: Header[];
  /** How many were left out because HTTP does not allow them. */
  readonly illegal: number;
  /** How many values of credentials were crossed out. */
  readonly redacted: number;
}

/** What becomes of cookies, authorization and what else is secret by its name (extension/har/redact.ts). */
export type Credentials = "kept" | "redacted";

// No JSON of the archive holds a NUL.
const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd");

/** An answer to HEAD is no body's frame: its content-length is of the body that GET would give. */
export function cleanHeaders(
  recorded: readonly NameValue[],
  of: Side | "answer to HEAD",
  credentials: Credentials,
): CleanHeaders {
  const side = of === "answer to HEAD" ? "response" : of;
  const headers: Header[] = [];
  const unsent: Header[] = [];
  let illegal = 0;
  let redacted = 0;
  for (const { name: recordedName, value: recordedValue } of recorded) {
    const name = recordedName.trim().toLowerCase();
    const isLengthOfHead = of === "answer to HEAD" && name === "content-length";
    if (name.startsWith(":") || (notOfTheServer.has(name) && !isLengthOfHead)) continue;
    // DevTools joins headers of one name (Set-Cookie) by line ends.
    for (const line of recordedValue.split("\n")) {
      const sent = line.trim().toWellFormed();
      const value = credentials === "kept" ? sent : redactedValue(name, sent, side);
      if (value !== sent) redacted++;
      const isIllegal = !token.test(name) || illegalValue.test(value);
      if (isIllegal) illegal++;
      if (isIllegal || removed[side].has(name)) unsent.push([storable(name), storable(value)]);
      else headers.push([name, value]);
    }
  }
  return { headers, unsent, illegal, redacted };
}

/** The first value of a header; undefined where there is none. */
export function headerValue(headers: readonly Header[], name: string): string | undefined {
  return headers.find(([candidate]) => candidate === name)?.[1];
}
