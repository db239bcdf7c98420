// HTML and SVG as text in which everything from outside is escaped unless it was made here. Draws nothing.
import { middleCut } from "../../cli/base/middle_cut.ts";

/** Text that is markup already. Only `html` and `joined` make it, so a plain string can never pass for it. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

export type Content = Markup | string | number | null | undefined | false | readonly Content[];

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

// Control characters, and the marks that turn the direction of text round: a URL must not be able to disguise itself.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is being replaced
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g;

/** Text for element content and for attributes in double or single quotes. */
export function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replace(unprintable, "\ufffd")
    .replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

function rendered(content: Content): string {
  if (content === null || content === undefined || content === false) return "";
  if (content instanceof Markup) return content.text;
  if (typeof content === "number") return coordinate(content);
  if (typeof content === "string") return escapeText(content);
  return content.map(rendered).join("");
}

/** Markup from a template: what stands in the template is markup, what is put in is escaped. Attributes must be quoted. */
export function html(template: TemplateStringsArray, ...contents: Content[]): Markup {
  let text = template[0] ?? "";
  contents.forEach((content, index) => {
    text += rendered(content) + (template[index + 1] ?? "");
  });
  return new Markup(text);
}

/** A number for an SVG attribute: a tenth of a pixel is enough, and keeps files small. */
export function coordinate(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** A letter's width as a share of the font's size, rather too wide: what text needs is computed before any font is known. */
function letterWidth(letter: string): number {
  if (/[iljtfI.,:;|!'()[\] ]/.test(letter)) return 0.38;
  if (/[mwMW@%…]/.test(letter)) return 1.02;
  if (/[A-Z]/.test(letter)) return 0.74;
  return letter.charCodeAt(0) < 0x500 ? 0.63 : 1.1;
}

/** Shortens text in its middle until it is at most so wide. */
export function fitted(text: string, width: number, fontSize: number): string {
  const start = [...text].length;
  for (let length = Math.min(start, Math.ceil(width / (fontSize * 0.38))); length >= 1; length--) {
    const cut = middleCut(text, length);
    const wide = [...cut].reduce((sum, letter) => sum + letterWidth(letter) * fontSize, 0);
    if (wide <= width) return cut;
  }
  return "…";
}
