// The table by which trilane-host checks messages: schemas/message.schema.json in C, for message_rules.h of
// native-host/messaging/. Knows the keywords that the schema uses for fields and refuses others; what fields say of one
// another (allOf and oneOf of a message) is the handlers' matter.

interface Schema {
  readonly $ref?: string;
  /** Of a field: what errors call it. Of a message: the command that answers it, in backquotes. */
  readonly $comment?: string;
  readonly description?: string;
  readonly title?: string;
  readonly type?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly contentEncoding?: string;
  readonly not?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema | readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean;
}

const keywords = new Set(
  (
    "$ref $comment description title type const enum minimum maximum minLength maxLength pattern contentEncoding not " +
    "anyOf items minItems maxItems uniqueItems required properties additionalProperties"
  ).split(" "),
);
const aboutSchemas = new Set(["$schema", "$id"]);

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, "\\$&")}"`;

/** A pattern of JavaScript in POSIX's words. No string that is checked has a NUL in it. */
function posixPattern(pattern: string): string {
  if (/\(\?[^:]|\\[a-z](?<!\\u)/.test(pattern)) throw new Error(`${pattern}: not for POSIX: say it with "not"`);
  const inPosix = quoted(pattern.replaceAll("(?:", "(").replaceAll("\\u0000", "\\u0001"));
  return inPosix.replaceAll(
    /\\\\u([0-9a-f]{4})/g,
    (_, hex) => `\\${Number.parseInt(hex, 16).toString(8).padStart(3, "0")}`,
  );
}

function listed(words: readonly string[]): string {
  const all = words.map((word) => `"${word}"`);
  return all.length < 2 ? (all[0] ?? "") : `${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;
}

const isLargest = (value: number | undefined): boolean => value === Number.MAX_SAFE_INTEGER;

function expected(schema: Schema, item: string): string {
  const { minimum = 0, maximum, minLength = 0, maxLength } = schema;
  if (schema.$comment) return schema.$comment;
  if (schema.enum) return listed(schema.enum);
  if (schema.const) return listed([schema.const]);
  switch (schema.type) {
    case "integer":
      return isLargest(maximum) ? `a number of ${minimum} or more` : `a number from ${minimum} to ${maximum}`;
    case "boolean":
      return "true or false";
    case "object":
      return "an object";
    case "array":
      return `an array of ${item}${schema.uniqueItems ? ", each once" : ""}`;
    default:
      if (maxLength !== undefined) return `a string of ${minLength} to ${maxLength} characters`;
      return minLength > 0 ? "a string that is not empty" : "a string";
  }
}

function kindOf({ type, contentEncoding, anyOf, ...schema }: Schema): string {
  if (contentEncoding === "base64") return "BASE64";
  if (anyOf) return "ADDRESS";
  if (type === undefined && (schema.enum ?? schema.const) !== undefined) return "TEXT";
  const kind = { integer: "NUMBER", boolean: "FLAG", object: "OBJECT", array: "LIST", string: "TEXT" }[type ?? ""];
  if (!kind) throw new Error(`a field of type ${type}`);
  return kind;
}

/** `read`: the schema in a file of schemas/. */
export function messageRules(read: (file: string) => unknown): string {
  const root = read("message.schema.json") as Schema & { oneOf: Schema[]; $defs: Record<string, Schema> };
  const rows: string[] = [];
  const patterns: string[] = [];
  const written = new Map<string, { rule: string; expected: string }>();

  const patternIndex = (pattern: string | undefined): number => {
    if (pattern === undefined) return 0;
    const text = posixPattern(pattern);
    if (!patterns.includes(text)) patterns.push(text);
    return patterns.indexOf(text) + 1;
  };

  /** Writes what the schema comes to, once for all that refer to it. */
  const rule = (schema: Schema, name: string): { rule: string; expected: string } => {
    if (schema.$ref) {
      const [file = "", inside = ""] = schema.$ref.split("#");
      const key = inside.split("/").at(-1) || file.replace(/\..*/, "");
      const target = file === "" ? root.$defs[key] : (read(file) as Schema);
      if (!target) throw new Error(`${schema.$ref}: no such definition`);
      return written.get(key) ?? rule(target, key);
    }
    const unknown = Object.keys(schema).find((key) => !keywords.has(key) && !aboutSchemas.has(key));
    if (unknown)
      throw new Error(`message.schema.json: ${name}: ${unknown} is not known to cli/install/message_rules.ts`);
    const items = [schema.items ?? []].flat().map((item, index) => rule(item, `${name}_${index}`));
    const low = schema.minimum ?? schema.minLength ?? schema.minItems ?? 0;
    const high = schema.maximum ?? schema.maxLength ?? schema.maxItems;
    const words = (of: readonly string[] | undefined): string =>
      of ? `(const char *const[]){${of.map(quoted).join(", ")}, NULL}` : "NULL";
    const saying = expected(schema, items[0]?.expected ?? "");
    const parts = [
      `.kind = RULE_${kindOf(schema)}`,
      `.expected = ${quoted(saying)}`,
      `.least = ${low}`,
      `.most = ${high ?? "INT64_MAX"}`,
    ];
    const choice = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
    if (choice) parts.push(`.words = ${words(choice)}`);
    if (schema.not?.enum) parts.push(`.not_words = ${words(schema.not.enum)}`);
    if (schema.pattern && !schema.contentEncoding) parts.push(`.pattern = ${patternIndex(schema.pattern)}`);
    if (schema.not?.pattern) parts.push(`.not_pattern = ${patternIndex(schema.not.pattern)}`);
    if (schema.uniqueItems) parts.push(".unique = true");
    if (items.length > 0) parts.push(`.items = {${items.map((item) => `&${item.rule}`).join(", ")}}`);
    if (schema.properties) parts.push(`.fields = ${fields(schema, name)}`);
    rows.push(`static const struct message_rule rule_${name} = {${parts.join(", ")}};`);
    const result = { rule: `rule_${name}`, expected: saying };
    written.set(name, result);
    return result;
  };

  const fields = ({ properties = {}, required = [] }: Schema, of: string): string => {
    const lines = Object.entries(properties).map(
      ([name, schema]) => `    {${quoted(name)}, ${required.includes(name)}, &${rule(schema, `${of}_${name}`).rule}},`,
    );
    rows.push(`static const struct message_field fields_${of}[] = {`, ...lines, "    {0}};");
    return `fields_${of}`;
  };

  const types = root.oneOf.map(({ $ref = "" }) => {
    const key = $ref.split("/").at(-1) ?? "";
    const { type, properties, required, additionalProperties, $comment } = root.$defs[key] as Schema;
    if (type !== "object" || additionalProperties !== false) throw new Error(`${key}: no message`);
    const command = /`trilane (.*) --json`/.exec($comment ?? "")?.[1];
    const table = fields({ properties, required } as Schema, key);
    return `    {${quoted(properties?.type?.const ?? "")}, ${command ? quoted(command) : "NULL"}, ${table}},`;
  });
  return [
    "// Generated from ../message.schema.json by `npm run generate`: change the schema instead.",
    '#include "messaging/message_rules.h"',
    "",
    ...rows,
    "",
    `const char *const message_patterns[] = {${patterns.map((pattern) => `\n    ${pattern},`).join("")}\n    NULL};`,
    "",
    `const struct message_type message_types[] = {\n${types.join("\n")}\n    {0}};`,
    "",
  ].join("\n");
}
