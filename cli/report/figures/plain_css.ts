// The report's style sheets as programs that draw SVG files understand them: without custom properties, media queries and states,
// and only what paints or sets text. Such programs (librsvg, Inkscape) match classes, descendants and siblings, and know no `var()`. Reads our
// own style sheets, which nest nothing; is no CSS parser.

interface Rule {
  readonly selectors: readonly string[];
  readonly declarations: readonly (readonly [property: string, value: string])[];
}

type Properties = ReadonlyMap<string, string>;

const painting = new Set([
  ...["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "opacity"],
  ...["font-family", "font-size", "font-weight", "font-style", "text-anchor"],
]);
const elements = new Set(["", "*", "svg", "g", "text", "rect", "line", "path", "circle", "image", "use"]);

/** Top-level rules without those of media queries and pages. */
function rulesOf(css: string): Rule[] {
  const text = css.replaceAll(/\/\*.*?\*\//gs, "");
  const rules: Rule[] = [];
  for (let at = 0; ; ) {
    const open = text.indexOf("{", at);
    if (open < 0) return rules;
    let depth = 1;
    let end = open + 1;
    for (; depth > 0 && end < text.length; end++) depth += text[end] === "{" ? 1 : text[end] === "}" ? -1 : 0;
    const prelude = text.slice(at, open).trim();
    if (!prelude.startsWith("@")) rules.push(ruleOf(prelude, text.slice(open + 1, end - 1)));
    at = end;
  }
}

function ruleOf(prelude: string, body: string): Rule {
  const declarations = body.split(";").flatMap((line): (readonly [string, string])[] => {
    const [, property = "", value = ""] = /^\s*([\w-]+)\s*:\s*(.*?)\s*$/s.exec(line) ?? [];
    const plain = value.replaceAll(/\s+/g, " ");
    const font = property === "font" ? /^(\S+px) (.*)$/.exec(plain) : null;
    if (!font) return property === "" ? [] : [[property, plain]];
    return [
      ["font-size", font[1] ?? ""],
      ["font-family", font[2] ?? ""],
    ];
  });
  return { selectors: prelude.split(",").map((selector) => selector.trim().replaceAll(/\s+/g, " ")), declarations };
}

/** A value without custom properties; null: it names one that is not set. */
function resolved(value: string, properties: Properties): string | null {
  let text = value;
  for (let innermost = /var\((--[\w-]+)(?:,([^()]*))?\)/.exec(text); innermost; ) {
    const [whole, name = "", fallback] = innermost;
    const known = properties.get(name) ?? fallback?.trim();
    if (known === undefined) return null;
    text = text.replace(whole, () => known);
    innermost = /var\((--[\w-]+)(?:,([^()]*))?\)/.exec(text);
  }
  return text === "transparent" ? "none" : text;
}

/** What a rule sets, on top of what holds anyway. */
function propertiesOf({ declarations }: Rule, above: Properties): Properties {
  const properties = new Map(above);
  for (const [property, value] of declarations) {
    if (!property.startsWith("--")) continue;
    const known = resolved(value, properties);
    if (known !== null) properties.set(property, known);
  }
  return properties;
}

const bodyOf = (declarations: Rule["declarations"], properties: Properties): string =>
  declarations
    .flatMap(([property, value]) => {
      const plain = painting.has(property) ? resolved(value, properties) : null;
      return plain === null ? [] : [`${property}:${plain}`];
    })
    .join(";");

/** Whether an SVG file has what the selector names, and a program that draws it can tell. */
function isWanted(selector: string, classes: ReadonlySet<string>): boolean {
  if (/[:[]/.test(selector)) return false;
  const named = [...selector.matchAll(/\.([\w-]+)/g)].map(([, name = ""]) => name);
  const types = selector.split(/[ ~+>]+/).map((compound) => compound.replaceAll(/\.[\w-]+/g, ""));
  return named.every((name) => classes.has(name)) && types.every((type) => elements.has(type));
}

/** What `setter` has set, for elements within those that it matches and for these themselves. */
function within(setter: string, selector: string): string[] {
  const isSingle = !/[ ~+>]/.test(selector);
  const itself = setter.endsWith("~*") ? `${setter.slice(0, -1)}${selector}` : `${selector}${setter}`;
  return isSingle ? [`${setter} ${selector}`, itself] : [`${setter} ${selector}`];
}

/** Rules for drawings in which these classes occur. */
export function plainCss(css: string, classes: ReadonlySet<string>): string {
  const rules = rulesOf(css);
  const none: Properties = new Map();
  const root = rules
    .filter(({ selectors }) => selectors.includes(":root"))
    .reduce((above, rule) => propertiesOf(rule, above), none);
  const setters = rules.flatMap((rule) => {
    const sets = rule.declarations.some(([property]) => property.startsWith("--"));
    return sets
      ? rule.selectors
          .filter((each) => isWanted(each, classes))
          .map((selector) => ({ selector, properties: propertiesOf(rule, root) }))
      : [];
  });
  const lines: string[] = [];
  for (const { selectors, declarations } of rules) {
    const using = declarations.filter(([, value]) => value.includes("var("));
    for (const selector of selectors.filter((each) => isWanted(each, classes))) {
      // `.b3+text` is among `.b3~*`.
      const own = setters.find(({ selector: of }) => of.endsWith("~*") && selector.startsWith(`${of.slice(0, -2)}+`));
      const body = bodyOf(declarations, own?.properties ?? root);
      if (body !== "") lines.push(`${selector}{${body}}`);
      for (const { selector: setter, properties } of setters.filter((each) => each !== own)) {
        const other = bodyOf(using, properties);
        if (other !== "" && other !== bodyOf(using, root))
          lines.push(`${within(setter, selector).join(",")}{${other}}`);
      }
    }
  }
  return lines.join("\n");
}
