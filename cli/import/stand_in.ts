// A document in place of one whose text the HAR does not hold, as where a recorder kept no bodies at all: without it a
// browser would ask for nothing more. It references the page's other responses directly, so the same objects are loaded
// but the order in which the real page discovered them is lost.
import { fillKind } from "../fill/fill.ts";
import { type HarEntry, textField } from "./har.ts";

export interface StandIn {
  readonly entry: HarEntry;
  readonly html: string;
  /** How many responses it references. */
  readonly references: number;
}

const mimeType = (entry: HarEntry): string => textField(entry.content, "mimeType") ?? "";

const escaped = (url: string): string => url.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** As a script's string, which no URL ends: neither by a quote or backslash nor by the script's own end tag. */
const scriptText = (url: string): string => JSON.stringify(url).replaceAll("<", "\\u003c");

function referenceTo(entry: HarEntry): string {
  const url = escaped(entry.url.href);
  switch (fillKind(mimeType(entry), entry.url.href)) {
    case "css":
      return `<link rel="stylesheet" href="${url}">`;
    case "javascript":
      return `<script src="${url}" async></script>`;
    case "woff2":
    case "woff":
    case "ttf":
      return `<link rel="preload" as="font" crossorigin href="${url}">`;
    case "jpeg":
    case "png":
    case "gif":
    case "webp":
    case "ico":
    case "svg":
      return `<img src="${url}" alt="">`;
    default:
      return `<script>fetch(${scriptText(entry.url.href)}, { mode: "no-cors" }).catch(() => {})</script>`;
  }
}

const isDocument = (entry: HarEntry): boolean =>
  entry.method === "GET" && entry.status >= 200 && entry.status < 300 && fillKind(mimeType(entry), "") === "html";

/** For the first document of the page, if its text is missing; null where there is nothing to stand in for. */
export function standIn(kept: readonly HarEntry[]): StandIn | null {
  const entry = kept.find(isDocument);
  if (!entry || textField(entry.content, "text") !== null) return null;
  const urls = new Set([entry.url.href]);
  const references: string[] = [];
  for (const other of kept.slice(kept.indexOf(entry) + 1)) {
    // What a page asks for twice, or without GET, a script of its own asked for.
    if (other.method !== "GET" || other.status < 200 || other.status > 299 || urls.has(other.url.href)) continue;
    urls.add(other.url.href);
    references.push(referenceTo(other));
  }
  const html = `<!doctype html>\n<meta charset="utf-8">\n<title>filled</title>\n${references.join("\n")}\n`;
  return { entry, html, references: references.length };
}
