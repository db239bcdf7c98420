// What can be chosen of a live page's recording, as options of every command that records one, and what they choose.

import { UserError } from "../../base/errors.ts";
import { flag, number, repeated } from "../../base/option.ts";
import type { OptionsOf, OptionTable } from "../../base/option_table.ts";
import type { Device } from "../../browser/device.ts";
import type { HostAddress } from "../../link/live/reach.ts";
import { chosenDevice, defineDevice } from "./device_options.ts";
import { readAddress, readTrustedKeys } from "./words.ts";

export type LiveOptions = OptionsOf<typeof defineLive>;

export interface LiveChoice {
  /** How often the page is loaded, by a fresh browser each time. */
  readonly visits: number;
  /** Whether one more visit, over HTTP/1.1, measures how long servers took. */
  readonly timeServers: boolean;
  readonly scroll: boolean;
  readonly addresses: readonly HostAddress[];
  readonly trustedKeys: readonly string[];
  readonly allowLocalNetwork: boolean;
  /** The device, as far as it was requested. */
  readonly device: Partial<Device>;
}

export const defaultLiveChoice: LiveChoice = {
  visits: 1,
  timeServers: true,
  scroll: false,
  addresses: [],
  trustedKeys: [],
  allowLocalNetwork: false,
  device: {},
};

export const defineLive = (table: OptionTable<unknown>) =>
  table
    .with(defineDevice)
    .option(
      "visits",
      number(
        { least: 1, most: 20, whole: true },
        {
          default: 1,
          describe: "load the page N times and keep what any visit asked for, for pages that differ between visits",
        },
      ),
    )
    .option("time-servers", {
      type: "boolean",
      default: true,
      rare: true,
      describe:
        "load the page once more, over HTTP/1.1, which measures how long servers took (--no-time-servers: do not)",
    })
    .option("scroll", flag("scroll to the end, so that lazy images load"))
    .option("resolve", repeated("address of a host; *.HOST: of all its subdomains", { placeholder: "HOST=ADDRESS" }))
    .option(
      "trust",
      repeated("PEM file of certificates to trust, for a staging or development server", { placeholder: "FILE" }),
    )
    .option("allow-local-network", flag("let a public page reach this machine and its networks (otherwise refused)"));

/** Their names, for who shows them in a group of their own. */
export const liveOptionNames: readonly (keyof LiveOptions)[] = [
  "visits",
  "time-servers",
  "scroll",
  "resolve",
  "trust",
  "allow-local-network",
];

export function liveChoiceOf(options: LiveOptions): LiveChoice {
  return {
    visits: options.visits,
    timeServers: options["time-servers"],
    scroll: options.scroll,
    addresses: options.resolve.map(readAddress),
    trustedKeys: options.trust.flatMap(readTrustedKeys),
    allowLocalNetwork: options["allow-local-network"],
    device: chosenDevice(options),
  };
}

/** UserError where one of them, or of `further` ones, is given for a page that is not recorded. */
export function refuseLiveOptions<Name extends string>(
  options: LiveOptions & Record<Name, boolean>,
  further: readonly Name[],
  page: string,
): void {
  const usual: Readonly<Record<string, boolean | number>> = {
    visits: defaultLiveChoice.visits,
    "time-servers": defaultLiveChoice.timeServers,
  };
  const isGiven = (name: keyof LiveOptions | Name): boolean => {
    const value: boolean | number | readonly string[] = options[name];
    return typeof value === "object" ? value.length > 0 : value !== (usual[name] ?? false);
  };
  const given = [...liveOptionNames, ...further].find(isGiven);
  const named = given && options[given] === false ? `no-${given}` : given;
  if (named) throw new UserError(`--${named} is for a page that is recorded first: ${page} is no URL`);
}
