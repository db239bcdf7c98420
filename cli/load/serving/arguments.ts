// A serving as options of trilane-replay. Only what differs from the program's own defaults is said, so that the command
// lines in reports stay short. Pure.
import type { Serving, Transport } from "./serving.ts";
import { serverSettings, settings } from "./settings.ts";

const tlsArguments: Readonly<Record<Serving["tls"], readonly string[]>> = {
  both: [],
  "1.2": ["--tls-max", "1.2"],
  "1.3": ["--tls-min", "1.3"],
};

function thinkText(think: Serving["think"]): string {
  return typeof think === "string" ? think : String(think.ms);
}

function chainText(chain: Serving["chain"]): string {
  return typeof chain === "string" ? chain : String(chain.bytes);
}

const valueText = (value: unknown): string => (typeof value === "boolean" ? (value ? "on" : "off") : String(value));

/** Null is what no one can ask for: the kernel's choice. */
function transportArguments(transport: Transport): string[] {
  return settings.flatMap(({ protocol, name, replayOption, stock }) => {
    const value = new Map<string, unknown>(Object.entries(transport[protocol])).get(name);
    return value === null || value === stock ? [] : [`--${replayOption}`, valueText(value)];
  });
}

export function servingArguments(serving: Serving): string[] {
  const chosen = serverSettings.flatMap(({ name, option, isReplays, stock }) =>
    isReplays && serving[name] !== stock ? [`--${option}`, String(serving[name])] : [],
  );
  return [
    ...chosen,
    ...(serving.think === "none" ? [] : ["--think", thinkText(serving.think)]),
    ...(serving.chain === "recorded" ? [] : ["--chain", chainText(serving.chain)]),
    ...tlsArguments[serving.tls],
    ...transportArguments(serving.transport),
  ];
}
