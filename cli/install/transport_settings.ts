// The settings of TCP and QUIC in C, for transport.h of native-host/replay/: where they are kept, their defaults, the options
// of trilane-replay that set them, its help, and their names in its report. From schemas/serving.schema.json and
// schemas/replay-report.schema.json. What acts on a setting is written by hand.

interface Limits {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Member extends Limits {
  readonly oneOf?: readonly Limits[];
  readonly setting: {
    /** As it is unless chosen. Not the schema's default, by which a plan's preset would be filled in. */
    readonly stock: string | number | boolean | null;
    readonly option?: string;
    readonly replay_option?: string;
    /** What stands for the value, then lines; absent: the help of another setting has it. */
    readonly replay_help?: readonly string[];
    /** Any text is taken: what it is set in refuses it. */
    readonly replay_takes_any?: boolean;
    /** In the report, where it is not the member's name. */
    readonly reported?: string;
  };
}

type Properties<Value> = Readonly<Record<string, Value>>;
type ByProtocol<Value> = Readonly<Record<"tcp" | "quic", { readonly properties: Properties<Value> }>>;

type Kind = "TEXT" | "CHOICE" | "SWITCH" | "NUMBER";

const protocols = ["tcp", "quic"] as const;
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
/** Where the words of an option's help begin. */
const helpColumn = 25;

function kindOf(limits: Limits, takesAny: boolean): Kind {
  if (limits.type === "string") return "TEXT";
  if (limits.enum) return takesAny ? "TEXT" : "CHOICE";
  return limits.type === "boolean" ? "SWITCH" : "NUMBER";
}

const banner = "// Generated from ../serving.schema.json by `npm run generate`: change the schema instead.";
const continued = (lines: readonly string[]): string => lines.map((line) => ` \\\n    ${line}`).join("");
const helpText = (lines: readonly string[]): string =>
  continued(lines.map((line) => `${quoted(line).slice(0, -1)}\\n"`));

function helpLines(option: string, replay_help: readonly string[] = []): string[] {
  const [value = "", ...lines] = replay_help;
  if (lines.length === 0) return [];
  const head = `  --${option} ${value}`;
  const [first = "", ...more] = lines.map((line) => " ".repeat(helpColumn) + line);
  return [...(head.length < helpColumn ? [head.padEnd(helpColumn) + first.trimStart()] : [head, first]), ...more];
}

const constant = (text: string): string => text.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_");

/** What the origins do beside TCP and QUIC, if it is a choice of words: those that have help for trilane-replay. */
function serverSettings(members: Properties<Partial<Member>>): string {
  const all = Object.entries(members).flatMap(([name, { setting, enum: words = [] }]) =>
    setting?.replay_help ? [{ name, words, help: setting.replay_help, option: name.replaceAll("_", "-") }] : [],
  );
  return [
    banner,
    "#pragma once",
    "",
    ...all.map(
      ({ name, words }) =>
        `enum server_${name} { ${words.map((word) => `SERVER_${constant(name)}_${constant(word)}`).join(", ")} };`,
    ),
    "",
    "// Zeroed: as by default.",
    "struct server_settings {",
    ...all.map(({ name }) => `    enum server_${name} ${name};`),
    "};",
    "",
    "// Rows of base/command_line.h. `in`: the member of `type` that has the settings.",
    `#define SERVER_OPTION_ROWS(type, in)${continued(
      all.map(
        ({ name, words, option }) =>
          `{${quoted(option)}, OPTION_CHOICE, OPTION_IN(type, in.${name}), OPTION_WORDS(${words.map(quoted).join(", ")})},`,
      ),
    )}`,
    "",
    `#define SERVER_HELP${helpText(all.flatMap(({ option, help }) => helpLines(option, help)))}`,
    "",
  ].join("\n");
}

/** `read`: the schema in a file of schemas/. The header and the tables, by their files' names. */
export function transportSettings(read: (file: string) => unknown): Map<string, string> {
  const serving = read("serving.schema.json") as {
    properties?: Properties<Partial<Member>>;
    definitions: ByProtocol<Member>;
  };
  const report = read("replay-report.schema.json") as {
    properties: { transport: { properties: ByProtocol<Limits> } };
  };
  const all = protocols.flatMap((protocol) =>
    Object.entries(serving.definitions[protocol].properties).map(([name, member]) => {
      const { setting, oneOf, ...plain } = member;
      const [, stem = name] = /^(.*?)(?:_(?:bytes|packets|ms))?$/.exec(name) ?? [];
      const limits = oneOf?.find(({ type }) => type !== "null") ?? plain;
      const kind = kindOf(limits, setting.replay_takes_any === true);
      const option = `${protocol}-${setting.replay_option ?? setting.option ?? stem.replaceAll("_", "-")}`;
      return { protocol, name, setting, limits, kind, option, stock: member.setting.stock };
    }),
  );

  const rangeOf = (option: string): string => `${constant(option)}_RANGE`;
  const optionRow = ({ protocol, name, kind, option, limits }: (typeof all)[number]): string => {
    const row = (is: string, ...more: string[]): string =>
      `{${[quoted(option), is, `OPTION_IN(type, in.${protocol}.${name})`, ...more].join(", ")}},`;
    if (kind === "TEXT") return row("OPTION_TEXT");
    if (kind === "SWITCH") return row("OPTION_EITHER", 'OPTION_WORDS("off", "on")');
    if (kind === "NUMBER") return row("OPTION_NUMBER", rangeOf(option));
    return row("OPTION_CHOICE", `OPTION_WORDS(${limits.enum?.map(quoted).join(", ")})`);
  };

  const types: Readonly<Record<Kind, string>> = {
    TEXT: "const char *",
    CHOICE: "uint32_t ",
    SWITCH: "bool ",
    NUMBER: "uint32_t ",
  };
  const structs = protocols.flatMap((of) => [
    `struct ${of}_transport {`,
    ...all.filter(({ protocol }) => protocol === of).map(({ kind, name }) => `    ${types[kind]}${name};`),
    "};",
    "",
  ]);

  // Settings of one name stand together.
  const help = [...Map.groupBy(all, ({ name }) => name).values()]
    .flat()
    .flatMap(({ option, setting }) => helpLines(option, setting.replay_help));

  const stockOf = ({ kind, stock, limits }: (typeof all)[number]): string => {
    if (kind === "TEXT") return quoted(String(stock));
    if (kind === "CHOICE") return String(limits.enum?.indexOf(String(stock)));
    return stock === null ? "0" : String(stock);
  };
  const rows = all.map((each) => {
    const { protocol, name, setting, limits, kind, option } = each;
    const reported = setting.reported ?? name;
    const shape = report.properties.transport.properties[protocol].properties[reported];
    return [
      `{.option = ${quoted(option)}, .kind = TRANSPORT_${kind}, .offset = offsetof(struct transport, ${protocol}.${name})`,
      ...(kind === "CHOICE" ? [`.words = (const char *const[]){${limits.enum?.map(quoted).join(", ")}, NULL}`] : []),
      ...(shape ? [`.reported = ${quoted(reported)}`] : []),
      ...(shape && [shape.type].flat().includes("null") ? [".zero_is_null = true"] : []),
    ].join(", ");
  });

  return new Map([
    ["server_settings.h", serverSettings(serving.properties ?? {})],
    [
      "transport_settings.h",
      [
        banner,
        "#pragma once",
        "",
        "#include <stdbool.h>",
        "#include <stdint.h>",
        "",
        "// A number of 0 where there may be none: the kernel chooses. A choice is its place among the schema's words.",
        ...structs,
        "// Rows of base/command_line.h, and the numbers' ranges. `in`: the member of `type` that has the settings.",
        ...all.flatMap(({ kind, option, limits }) =>
          kind === "NUMBER" ? [`#define ${rangeOf(option)} OPTION_RANGE(${limits.minimum}, ${limits.maximum})`] : [],
        ),
        `#define TRANSPORT_OPTION_ROWS(type, in)${continued(all.map(optionRow))}`,
        "",
        `#define TRANSPORT_HELP${helpText(help)}`,
        "",
      ].join("\n"),
    ],
    [
      "transport_settings.c",
      [
        banner,
        '#include "replay/transport.h"',
        "",
        "const struct transport transport_stock = {",
        ...all.map((each) => `    .${each.protocol}.${each.name} = ${stockOf(each)},`),
        "};",
        "",
        "const struct transport_setting transport_settings[] = {",
        ...rows.map((row) => `    ${row}},`),
        "    {0}};",
        "",
      ].join("\n"),
    ],
  ]);
}
