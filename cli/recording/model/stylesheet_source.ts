// A stylesheet that makes a browser ask for its fonts, pictures and stylesheets as it does live: by @import at once, by rules
// when an element that they fit is laid out. Each rule fits one element, which the page's document has. Makes text.
import { shortUrl } from "./script_source.ts";

export interface StyledRequest {
  readonly url: string;
  readonly kind: "font" | "image" | "stylesheet";
  /** The class of the rule's element. */
  readonly name: string;
  /** Of a picture. Chromium asks with high priority for the background of a box in sight, but not of a piece of a line. */
  readonly isOutOfSight: boolean;
}

const quoted = (url: string): string => `"${url.replaceAll(/["\\\n]/g, (mark) => `\\${mark}`)}"`;

/** `base`: the stylesheet's URL. */
export function stylesheetSource(requests: readonly StyledRequest[], base: string): string {
  const rule = ({ url, kind, name, isOutOfSight }: StyledRequest): string => {
    const named = `url(${quoted(shortUrl(url, base))})`;
    if (kind === "font") return `@font-face{font-family:${name};src:${named}}.${name}{font-family:${name}}`;
    if (kind === "stylesheet") return `@import ${named};`;
    return `.${name}{${isOutOfSight ? "" : "display:inline-block;"}background:${named}}`;
  };
  // Where imports come after rules they are ignored.
  const imports = requests.filter(({ kind }) => kind === "stylesheet");
  const others = requests.filter(({ kind }) => kind !== "stylesheet");
  return [...imports, ...others].map(rule).join("\n");
}

/** The elements that the rules fit. */
export function styledElements(requests: readonly StyledRequest[]): string {
  return requests
    .filter(({ kind }) => kind !== "stylesheet")
    .map(({ name }) => `<i class=${name}>a</i>`)
    .join("");
}
