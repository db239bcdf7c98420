// The settings of the servers, of TCP and of QUIC, as schemas/serving.schema.json lists them: defaults, options, arguments of
// trilane-replay, presets, CSV columns and what the report says of each follow from there. Chooses nothing.

import type { ServingChoice } from "../../../schemas/generated/serving.ts";
import serving from "../../../schemas/serving.schema.json" with { type: "json" };
import { type Declared, number, type Range } from "../../base/option.ts";

/** What the report says of a setting, by its value; `value` has {} for the value, `other` is the other protocol's. */
export type Row = { readonly name: string } & {
  readonly [Case in "true" | "false" | "null" | "value" | "other"]?: string;
};

interface Words {
  /** Not the schema's default, by which a plan's preset would be filled in. */
  readonly stock: unknown;
  /** Where the names are not the member's. */
  readonly option?: string;
  readonly replay_option?: string;
  readonly summary: string;
  /** Of a text. */
  readonly placeholder?: string;
  readonly row?: Row;
}

interface Limits {
  readonly enum?: readonly string[];
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Member extends Limits {
  readonly oneOf?: readonly Limits[];
  readonly setting: Words;
}

export interface Setting {
  readonly protocol: "tcp" | "quic";
  /** In a serving. */
  readonly name: string;
  /** Of our commands and of trilane-replay, without "--". */
  readonly option: string;
  readonly replayOption: string;
  readonly declared: Declared;
  readonly stock: unknown;
  readonly row: Row | undefined;
}

/** Of a switch, on and off. */
export const switches = ["on", "off"] as const;

function declare({ setting: { summary, placeholder }, oneOf, ...plain }: Member, unit: string | undefined): Declared {
  // A size may also be null: the kernel's choice.
  const limits = oneOf?.find(({ type }) => type !== "null") ?? plain;
  if (limits.enum) return { choices: limits.enum, describe: summary };
  if (limits.type === "string") return { type: "string", ...(placeholder ? { placeholder } : {}), describe: summary };
  if (limits.type === "boolean") return { choices: switches, describe: summary };
  const { minimum: least = 0, maximum } = limits;
  const range: Range = {
    least,
    ...(maximum === undefined ? {} : { most: maximum }),
    whole: true,
    ...(unit ? { unit } : {}),
  };
  return number(range, { describe: summary });
}

function settingOf(protocol: Setting["protocol"], name: string, member: Member): Setting {
  const [, stem = name, unit] = /^(.*?)(?:_(bytes|packets|ms))?$/.exec(name) ?? [];
  const { option = stem.replaceAll("_", "-"), replay_option = option, row } = member.setting;
  return {
    protocol,
    name,
    option: `${protocol}-${option}`,
    replayOption: `${protocol}-${replay_option}`,
    declared: declare(member, unit),
    stock: member.setting.stock,
    row,
  };
}

const settingsOf = (protocol: Setting["protocol"]): Setting[] =>
  Object.entries(serving.definitions[protocol].properties as Readonly<Record<string, Member>>).map(([name, member]) =>
    settingOf(protocol, name, member),
  );

/** TCP's, then QUIC's. */
export const settings: readonly Setting[] = [...settingsOf("tcp"), ...settingsOf("quic")];

/** Beside the transports': a word, a switch, or a number in an object (think time, certificate chains). */
export interface ServerSetting {
  /** In a serving. */
  readonly name: Exclude<keyof ServingChoice, "transport">;
  /** Of our commands, without "--", and of trilane-replay if that takes it. */
  readonly option: string;
  readonly isReplays: boolean;
  readonly declared: Declared;
  readonly stock: unknown;
  /** What the report calls it, and each value: by its word, by true and false, or by {} for the number. */
  readonly row: Readonly<Record<string, string>>;
  /** What its CSV column means; without one there is none. */
  readonly column: string | undefined;
  /** Part of a plan's digest only if it is not as by default, in this order; undefined: always. */
  readonly digested: number | undefined;
}

interface ServerMember {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly setting: {
    readonly stock: unknown;
    readonly summary: string;
    readonly row: Readonly<Record<string, string>>;
    /** Help shows it without --help-all. */
    readonly common?: boolean;
    readonly placeholder?: string;
    readonly replay_help?: readonly string[];
    readonly column?: string;
    readonly digested?: number;
  };
}

function serverSettingOf(name: ServerSetting["name"], { type, enum: choices, setting }: ServerMember): ServerSetting {
  const { stock, summary, row, placeholder, column, digested, replay_help } = setting;
  const value = choices ? { choices } : type === "boolean" ? { type } : { type: "string", placeholder };
  const declared = { ...value, describe: summary, rare: setting.common !== true } as Declared;
  const isReplays = replay_help !== undefined;
  return { name, option: name.replaceAll("_", "-"), isReplays, declared, stock, row, column, digested };
}

const { transport: _, ...serverMembers } = serving.properties;

/** In the order of help, reports and columns. */
export const serverSettings: readonly ServerSetting[] = Object.entries(
  serverMembers as unknown as Readonly<Record<ServerSetting["name"], ServerMember>>,
).map(([name, member]) => serverSettingOf(name as ServerSetting["name"], member));
