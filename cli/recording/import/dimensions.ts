// The width and height of a page's pictures, so that a filled one takes the room of the real one: from fields that
// recorders add to an entry, else from the width and height attributes in the recorded HTML. Does not lay the page out.

import { isRecord, type JsonRecord, numberField, textField } from "../../base/json_fields.ts";
import type { Dimensions } from "../fill/jpeg.ts";
import type { HarEntry } from "./har.ts";

const fieldPairs = [
  ["_image_width", "_image_height"],
  ["_imageWidth", "_imageHeight"],
  ["_naturalWidth", "_naturalHeight"],
  ["_width", "_height"],
  ["width", "height"],
] as const;

function plausible(width: number | null, height: number | null): Dimensions | null {
  if (width === null || height === null || width < 1 || height < 1 || width > 10_000 || height > 10_000) return null;
  return { width: Math.round(width), height: Math.round(height) };
}

function ofFields(record: JsonRecord): Dimensions | null {
  for (const [width, height] of fieldPairs) {
    const found = plausible(numberField(record, width), numberField(record, height));
    if (found) return found;
  }
  return null;
}

function attribute(tag: string, name: string): string | null {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, "i").exec(tag);
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? null;
}

const pixels = (value: string | null): number | null =>
  value && /^\d+(px)?$/.test(value) ? Number.parseInt(value, 10) : null;

/** By absolute URL, what the pictures of one HTML document say of themselves. */
function ofHtml(entry: HarEntry, html: string, found: Map<string, Dimensions>): void {
  for (const [tag] of html.matchAll(/<img\s[^>]*>/gi)) {
    const source = attribute(tag, "src")?.replaceAll("&amp;", "&");
    const size = plausible(pixels(attribute(tag, "width")), pixels(attribute(tag, "height")));
    if (!source || !size || !URL.canParse(source, entry.url.href)) continue;
    const url = new URL(source, entry.url);
    if (!found.has(url.href)) found.set(url.href, size);
  }
}

/** Looks up a picture's dimensions among what all the page's entries tell; null where none does. */
export function pictureDimensions(entries: readonly HarEntry[]): (entry: HarEntry) => Dimensions | null {
  const found = new Map<string, Dimensions>();
  for (const entry of entries) {
    const text = textField(entry.content, "text");
    const isHtml = /html/i.test(textField(entry.content, "mimeType") ?? "");
    if (text && isHtml && entry.content.encoding !== "base64") ofHtml(entry, text, found);
  }
  return (entry) => {
    const details = isRecord(entry.raw._image_details) ? ofFields(entry.raw._image_details) : null;
    return details ?? ofFields(entry.raw) ?? ofFields(entry.content) ?? found.get(entry.url.href) ?? null;
  };
}
