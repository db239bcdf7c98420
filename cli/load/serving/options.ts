// The options by which a command says how the origins serve, the same for all commands, and the choice that they make.
import { UserError } from "../../base/errors.ts";
import type { Declared } from "../../base/option.ts";
import type { OptionTable } from "../../base/option_table.ts";
import { kernelControllers, kernelLacks } from "../../link/flows/transports.ts";
import { livesOnAcks, type ServingChoice } from "./serving.ts";
import { type Setting, serverSettings, settings, switches } from "./settings.ts";

/** Those that are read here by name; beside them a row of the schema each. What is not given is undefined, so that a plan's own choice stays. */
export interface ServingOptions {
  think: string | undefined;
  chain: string | undefined;
  "pin-time": boolean | undefined;
  "client-acks": "usual" | "frequent" | undefined;
  transport: "stock" | "tuned" | undefined;
}

const originOptions = Object.fromEntries(serverSettings.map(({ option, declared }) => [option, declared]));

const transportOptions: Readonly<Record<string, Declared>> = {
  transport: {
    rare: false,
    choices: ["stock", "tuned"],
    describe: "transport preset: stock, or tuned (initial window 32, paced, window kept over pauses)",
  },
  ...Object.fromEntries(settings.map(({ option, declared }) => [option, declared])),
};

/** Adds the options, in groups of their own in the help. */
export function defineServing(table: OptionTable<unknown>): OptionTable<ServingOptions> {
  for (const [name, declared] of Object.entries({ ...originOptions, ...transportOptions }))
    table.option(name, { rare: true, ...declared });
  // Most are rows of a schema, which the compiler does not know.
  return (table as OptionTable<ServingOptions>)
    .group(Object.keys(originOptions), "How the servers answer:")
    .group(Object.keys(transportOptions), "TCP (h1, h2) and QUIC (h3):");
}

function thinkOf(text: string): NonNullable<ServingChoice["think"]> {
  if (text === "none" || text === "recorded") return text;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(ms <= 3_600_000))
    throw new UserError(`--think: must be none, recorded, or milliseconds up to an hour (got ${JSON.stringify(text)})`);
  return { ms };
}

function chainOf(text: string): NonNullable<ServingChoice["chain"]> {
  if (text === "recorded" || text === "small") return text;
  const bytes = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (bytes < 1 || bytes > 65_536)
    throw new UserError(`--chain: must be recorded, small, or 1 to 65536 bytes (got ${JSON.stringify(text)})`);
  return { bytes };
}

/** Leaves out what is undefined. */
function said<Value extends object>(value: Value): { [Name in keyof Value]?: Exclude<Value[Name], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [Name in keyof Value]?: Exclude<Value[Name], undefined>;
  };
}

/** What the options say of one protocol's settings. */
function settingsSaid(options: ServingOptions, of: Setting["protocol"]): object {
  const words = new Map<string, unknown>(Object.entries(options));
  return said(
    Object.fromEntries(
      settings
        .filter(({ protocol }) => protocol === of)
        .map(({ name, option, declared }) => {
          const word = words.get(option);
          return [name, declared.choices === switches && word !== undefined ? word === "on" : word];
        }),
    ),
  );
}

const controllerOf = (said: object): unknown => new Map(Object.entries(said)).get("congestion_control");

/** What the options say, and nothing beyond it. `kernel`: its controllers of TCP. UserError for a value that cannot be. */
export function servingChoiceOf(options: ServingOptions, kernel = kernelControllers()): ServingChoice {
  const tcp = settingsSaid(options, "tcp");
  const quic = settingsSaid(options, "quic");
  const ofKernel = controllerOf(tcp);
  const lacks = typeof ofKernel === "string" ? kernelLacks(ofKernel, kernel) : null;
  if (lacks !== null) throw new UserError(`--tcp-congestion ${JSON.stringify(ofKernel)}: ${lacks}`);
  const controller = controllerOf(quic);
  if (options["client-acks"] === "usual" && typeof controller === "string" && livesOnAcks(controller))
    throw new UserError(`--client-acks usual: ${controller} needs frequent ones: leave it out`);
  const isEmpty = (value: object): boolean => Object.keys(value).length === 0;
  const transport = {
    ...said({ preset: options.transport }),
    ...(isEmpty(tcp) ? {} : { tcp }),
    ...(isEmpty(quic) ? {} : { quic }),
  };
  const words = new Map<string, unknown>(Object.entries(options));
  const servers = Object.fromEntries(serverSettings.map(({ name, option }) => [name, words.get(option)]));
  const sizes = {
    think: options.think === undefined ? undefined : thinkOf(options.think),
    chain: options.chain === undefined ? undefined : chainOf(options.chain),
  };
  return { ...(said({ ...servers, ...sizes }) as ServingChoice), ...(isEmpty(transport) ? {} : { transport }) };
}

/** Of what runs no browser of ours: `shell` and `time`. UserError for settings of one, and for what has no recording to work on. */
export function servingOfCommand(options: ServingOptions, recording: string | undefined): ServingChoice {
  const choice = servingChoiceOf(options);
  if (choice.pin_time) throw new UserError("--pin-time: is for pages that are loaded and measured: leave it out");
  if (choice.client_acks) throw new UserError("--client-acks: is of browsers, and there is none here: leave it out");
  if (recording === undefined && Object.keys(choice).length > 0)
    throw new UserError("nothing is served: name a --recording, or leave out how it is served");
  return choice;
}
