// What a HAR says of who requested a request, in the forms of its producers: Chrome's `_initiator` (an object with the
// script's call stack), chrome-har's and WebPageTest's (a URL, with line and type in fields of their own). Pure; looks up no
// request.
import { urlWithoutCredentials } from "../../../extension/capture/url_without_credentials.ts";
import { isRecord, type JsonRecord, numberField, textField } from "../../base/json_fields.ts";
import type { JsonObject } from "../archive/archive.ts";
import type { HarEntry } from "./har.ts";

/** schemas/recorded.schema.json has it as `initiator`. */
export type RecordedInitiator = {
  /** parser, script, preload, preflight, other, ...; null: not known. */
  readonly type: string | null;
  /** Of documents, stylesheets and scripts, the nearest first: of a script, those on its call stack. */
  readonly urls: readonly string[];
  /** Of the first URL, from 0. */
  readonly line: number | null;
};

/** A call stack of a hostile file has no end. */
const mostFrames = 64;
const mostUrls = 8;

const isAsker = (url: string | null): url is string => url !== null && /^https?:\/\//i.test(url) && URL.canParse(url);

const bareUrl = (url: string): string => urlWithoutCredentials(url).replace(/#.*$/s, "");

/** The URLs of a CDP call stack and of what it was begun by, the innermost first. */
function stackUrls(stack: unknown): string[] {
  const urls: string[] = [];
  let frames = 0;
  for (let part = stack; isRecord(part) && frames < mostFrames; part = part.parent) {
    frames++;
    const calls: readonly unknown[] = Array.isArray(part.callFrames) ? part.callFrames : [];
    for (const call of calls.slice(0, mostFrames)) {
      const url = isRecord(call) ? textField(call, "url") : null;
      if (isAsker(url)) urls.push(url);
    }
  }
  return urls;
}

/** chrome-har keeps DevTools' object as text. */
function detailOf(raw: JsonRecord): JsonRecord | null {
  if (isRecord(raw._initiator)) return raw._initiator;
  const text = textField(raw, "_initiator_detail");
  if (text === null) return null;
  try {
    const detail: unknown = JSON.parse(text);
    return isRecord(detail) ? detail : null;
  } catch {
    return null;
  }
}

/** Null where the HAR does not say. */
export function initiatorOf({ raw }: Pick<HarEntry, "raw">): RecordedInitiator | null {
  const detail = detailOf(raw);
  const named = [
    ...(detail ? [textField(detail, "url"), ...stackUrls(detail.stack)] : []),
    textField(raw, "_initiator"),
  ].filter(isAsker);
  const urls = [...new Set(named.map(bareUrl))].slice(0, mostUrls);
  const type = (detail && textField(detail, "type")) ?? textField(raw, "_initiator_type");
  if (urls.length === 0 && (type === null || type === "other")) return null;
  const line = (detail && numberField(detail, "lineNumber")) ?? numberField(raw, "_initiator_line");
  return { type: type?.toLowerCase() ?? null, urls, line: line !== null && line >= 0 ? Math.floor(line) : null };
}

/** As `recorded` of an archived exchange keeps it; null where there is none. */
export function readInitiator(recorded: JsonObject): RecordedInitiator | null {
  const { initiator } = recorded;
  if (!isRecord(initiator)) return null;
  const urls = Array.isArray(initiator.urls) ? initiator.urls : [];
  return {
    type: textField(initiator, "type"),
    urls: urls.filter((url): url is string => typeof url === "string").filter(isAsker),
    line: numberField(initiator, "line"),
  };
}
