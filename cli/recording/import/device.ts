// On which device a HAR was recorded, by what its requests say: client hints and other headers, WebPageTest's fields, and which
// pictures of a `srcset` the browser requested. Skips what nothing names. Pure.
import { withoutFragment } from "../../../extension/capture/url_without_credentials.ts";
import { isRecord, textField } from "../../base/json_fields.ts";
import { type Device, isLanguage, isPixelRatio, isSide, namedDevices } from "../../browser/device.ts";
import { type HarEntry, type HarPage, headersOf } from "./har.ts";

/** A hostile document may hold any number of pictures. */
const mostSets = 2000;
const mostDocument_chars = 8 * 1024 * 1024;

function firstHeader(entries: readonly HarEntry[], names: readonly string[]): string | null {
  for (const entry of entries)
    for (const { name, value } of headersOf(entry, "request"))
      if (names.includes(name.trim().toLowerCase())) return value.trim().replace(/^"|"$/g, "");
  return null;
}

const numberIn = (text: string | null): number | null =>
  text !== null && /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;

const attribute = (tag: string, name: string): string | null => {
  const [, quoted, single, bare] =
    new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(tag) ?? [];
  return quoted ?? single ?? bare ?? null;
};

/** The pictures of one element by density; those by width depend on the layout. */
function byDensity(tag: string, base: URL): Map<number, string> {
  const found = new Map<number, string>();
  const add = (density: number, url: string): void => {
    const whole = URL.parse(url.trim().replaceAll("&amp;", "&"), base.href);
    if (whole && !found.has(density)) found.set(density, whole.href);
  };
  const set = attribute(tag, "srcset") ?? "";
  for (const candidate of set.split(/,\s+|,(?=https?:|\/)/)) {
    const [, url, density] = /^\s*(\S+?)(?:\s+(\d+(?:\.\d+)?)x)?\s*$/.exec(candidate) ?? [];
    if (url && !/\s\d+w\s*$/.test(candidate)) add(density === undefined ? 1 : Number(density), url);
  }
  const src = attribute(tag, "src");
  if (src !== null) add(1, src);
  return found;
}

/** How often each density was the one that the browser requested. */
function densityVotes(entries: readonly HarEntry[]): Map<number, number> {
  const requested = new Set(entries.map(({ url }) => withoutFragment(url.href)));
  const votes = new Map<number, number>();
  let sets = 0;
  for (const { content, url } of entries) {
    const text = textField(content, "text");
    const isPage = /html/i.test(textField(content, "mimeType") ?? "");
    if (!isPage || text === null || content.encoding === "base64" || text.length > mostDocument_chars) continue;
    for (const [tag] of text.matchAll(/<(?:img|source)\s[^>]{0,20000}>/gi)) {
      if (++sets > mostSets) return votes;
      if (!/\ssrcset\s*=/i.test(tag)) continue;
      const pictures = byDensity(tag, url);
      const taken = [...pictures].filter(([, picture]) => requested.has(picture));
      const [only] = taken;
      if (pictures.size > 1 && taken.length === 1 && only) votes.set(only[0], (votes.get(only[0]) ?? 0) + 1);
    }
  }
  return votes;
}

/** Pictures named for twice or three times the pixels, while none of their plain twins were requested. */
function namedDensity(entries: readonly HarEntry[]): number | null {
  const requested = new Set(entries.map(({ url }) => url.href));
  const counts = new Map<number, number>();
  for (const { url } of entries) {
    const [name, factor] = /[@_-]([23])x(?=\.(?:png|jpe?g|gif|webp|avif)\b)/i.exec(url.pathname) ?? [];
    if (name === undefined || requested.has(url.href.replace(name, ""))) continue;
    counts.set(Number(factor), (counts.get(Number(factor)) ?? 0) + 1);
  }
  const [most] = [...counts].toSorted((a, b) => b[1] - a[1]);
  return most && most[1] >= 2 ? most[0] : null;
}

function pixelRatio(entries: readonly HarEntry[]): number | null {
  const hinted = numberIn(firstHeader(entries, ["sec-ch-dpr", "dpr"]));
  if (isPixelRatio(hinted)) return hinted;
  const votes = [...densityVotes(entries)].toSorted((a, b) => b[1] - a[1]);
  const [most] = votes;
  const found = most ? most[0] : namedDensity(entries);
  return isPixelRatio(found) ? found : null;
}

/** WebPageTest's `_viewport`: { width, height, dpr }. */
function viewportOf(page: HarPage | null): { width?: number; height?: number; device_pixel_ratio?: number } {
  const viewport = page && isRecord(page.viewport) ? page.viewport : {};
  const { width, height, dpr } = viewport;
  return {
    ...(isSide(width) && isSide(height) ? { width, height } : {}),
    ...(isPixelRatio(dpr) ? { device_pixel_ratio: dpr } : {}),
  };
}

function languagesOf(entries: readonly HarEntry[]): string[] {
  const header = firstHeader(entries.slice(0, 1), ["accept-language"]) ?? "";
  const languages = header
    .split(",")
    .map((part) => part.split(";")[0]?.trim() ?? "")
    .filter(isLanguage)
    .map((language) => Intl.getCanonicalLocales(language)[0] ?? language)
    .slice(0, 8);
  // As the usual device asks, too.
  return languages.join() === "en-US,en" ? [] : languages;
}

/** A usual one of its kind, if a user agent is all that is said of a phone or tablet. */
function deviceOfAgent(agent: string): Partial<Device> {
  if (/\biPhone\b/.test(agent)) return { width: 390, height: 844, device_pixel_ratio: 3 };
  const isTablet = /\biPad\b/.test(agent) || !/\bMobile\b/.test(agent);
  const { user_agent: _, ...screen } = namedDevices[isTablet ? "tablet" : "phone"];
  return screen;
}

/** What is known of it. */
export function deviceOf(entries: readonly HarEntry[], page: HarPage | null): Partial<Device> {
  const languages = languagesOf(entries);
  const agent = firstHeader(entries.slice(0, 1), ["user-agent"]);
  const width = numberIn(firstHeader(entries, ["sec-ch-viewport-width", "viewport-width"]));
  const height = numberIn(firstHeader(entries, ["sec-ch-viewport-height"]));
  const ratio = pixelRatio(entries);
  // Of a desktop's the page asks what it asks of Chromium's own; a phone's gets another page.
  const mobile = agent !== null && /\b(Mobile|Android|iPhone|iPad)\b/.test(agent) ? agent : null;
  return {
    ...(mobile === null ? {} : { user_agent: mobile, ...deviceOfAgent(mobile) }),
    ...viewportOf(page),
    ...(isSide(width) ? { width } : {}),
    ...(isSide(height) ? { height } : {}),
    ...(ratio === null ? {} : { device_pixel_ratio: ratio }),
    ...(languages.length > 0 ? { languages } : {}),
    ...(firstHeader(entries, ["sec-ch-prefers-color-scheme"]) === "dark" ? { color_scheme: "dark" as const } : {}),
  };
}
