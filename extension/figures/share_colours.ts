// Colours of what answered a request and of what kind it was, as CSS: for bars of shares, and for waterfalls coloured so.
// The protocols have their lanes' colours. A label stands beside each wherever they are used.
import { laneColours } from "./colours.ts";

interface Shade {
  readonly key: string;
  readonly light: string;
  readonly dark: string;
}

/** By ProtocolShare.protocol (schemas/profile.schema.json), in the order in which people read them. */
export const protocolShades: readonly Shade[] = [
  { key: "http/1.0", light: "#b37b00", dark: "#c48a10" },
  { key: "http/1.1", light: laneColours.h1, dark: "#e69f00" },
  { key: "h2", light: laneColours.h2, dark: "#4da3dc" },
  { key: "h3", light: laneColours.h3, dark: "#1fbf93" },
  { key: "h3 0-RTT", light: "#7fcfb8", dark: "#8fe0cb" },
  { key: "cache", light: "#a6a6a6", dark: "#8a8a8a" },
  { key: "service worker", light: "#9254c8", dark: "#b07be0" },
  { key: "none", light: "#b3261e", dark: "#ff8a80" },
  { key: "unknown", light: "#d0d0d0", dark: "#5c636b" },
];

/** By a request's kind, as kindOf returns it. */
export const kindShades: readonly Shade[] = [
  { key: "document", light: "#2f7fd6", dark: "#5a9fea" },
  { key: "script", light: "#f0a024", dark: "#f7b53e" },
  { key: "style", light: "#3fae49", dark: "#54c45f" },
  { key: "image", light: "#9254c8", dark: "#b07be0" },
  { key: "font", light: "#d6457f", dark: "#f0709f" },
  { key: "data", light: "#1b9aaa", dark: "#2fb3c4" },
  { key: "media", light: "#8a5a2b", dark: "#c08a52" },
  { key: "other", light: "#a6a6a6", dark: "#8a8a8a" },
];

const kinds: Readonly<Record<string, string>> = {
  document: "document",
  script: "script",
  stylesheet: "style",
  image: "image",
  font: "font",
  xhr: "data",
  fetch: "data",
  eventsource: "data",
  websocket: "data",
  media: "media",
  texttrack: "media",
};

/** Of HAR's _resourceType: document, script, style, image, font, data, media or other. */
export function kindOf(resourceType: string): string {
  return kinds[resourceType.toLowerCase()] ?? "other";
}

/** The class of a protocol or kind; a protocol that is not listed is drawn as unknown. */
export function shadeClass(key: string): string {
  const known = [...protocolShades, ...kindShades].some((shade) => shade.key === key);
  return `sh-${(known ? key : "unknown").replace(/[^a-z0-9]+/gi, "-").toLowerCase()}`;
}

const rules = (theme: "light" | "dark"): string =>
  [...protocolShades, ...kindShades].map((shade) => `.${shadeClass(shade.key)}{--shade:${shade[theme]}}`).join("");

export function shareColoursCss(): string {
  return `${rules("light")}\n@media screen and (prefers-color-scheme: dark){${rules("dark")}}\n`;
}
