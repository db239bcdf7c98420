// Early Hints (103, RFC 8297): what the Link fields of a 103 have a browser fetch before the answer. Pure.

/** A 103's field as one text has it: "link: </a.css>; rel=preload", or its value alone; null for other texts. */
export function headerLine(line: string): [name: string, value: string] | null {
  if (line.trimStart().startsWith("<")) return ["link", line.trim()];
  const colon = line.indexOf(":");
  return colon < 1 ? null : [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
}

/** A Link field's values (RFC 8288): commas part them, but for those within <...> and "...", which the field's end ends, too. */
function linksOf(field: string): string[] {
  return field.match(/(?:<[^>]*(?:>|$)|"(?:[^"\\]|\\.)*(?:"|\\?$)|[^,<"])+/g)?.map((link) => link.trim()) ?? [];
}

const parameterOf = (link: string, name: string): string =>
  new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)(?:"|$)|([^\\s;,"]+))`, "i")
    .exec(link.replace(/^<[^>]*>/, ""))
    ?.slice(1)
    .find(Boolean) ?? "";

export interface HintedPreload {
  readonly url: string;
  /** As "style"; empty: not said. */
  readonly as: string;
}

/** `lines`: a 103's fields, as "link: </a.css>; rel=preload"; `base`: the URL of the document that they came before. */
export function hintedPreloads(lines: readonly string[], base: string): HintedPreload[] {
  return lines.flatMap((line) => {
    const [name, field] = headerLine(line) ?? [];
    if (name !== "link" || field === undefined) return [];
    return linksOf(field).flatMap((link): HintedPreload[] => {
      const target = /^<([^>]*)>/.exec(link)?.[1];
      const relations = parameterOf(link, "rel").toLowerCase().split(/\s+/);
      const url = target === undefined ? null : URL.parse(target, base);
      if (!url || !/^https?:$/.test(url.protocol)) return [];
      url.hash = "";
      if (relations.includes("modulepreload")) return [{ url: url.href, as: parameterOf(link, "as") || "script" }];
      return relations.includes("preload") ? [{ url: url.href, as: parameterOf(link, "as") }] : [];
    });
  });
}

/** As DevTools calls resources, by the words of `as`. */
const types: Readonly<Record<string, string>> = {
  style: "stylesheet",
  video: "media",
  audio: "media",
  track: "texttrack",
};

export const resourceTypeOf = ({ as }: HintedPreload): string =>
  types[as] ?? (/^(script|image|font|fetch)$/.test(as) ? as : "other");

/** What asks for such a request, as `_initiator` has it. */
export const hintInitiator = "early-hints";
