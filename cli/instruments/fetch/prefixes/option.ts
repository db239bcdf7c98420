// The options --prefixes and --as-names of commands that show fetches by autonomous system, and what they name, read.

import { UserError } from "../../../base/errors.ts";
import type { OptionsOf, OptionTable } from "../../../base/option_table.ts";
import { type AutonomousSystems, readPrefixes } from "./read_prefixes.ts";

export const definePrefixes = (table: OptionTable<unknown>) =>
  table
    .option("prefixes", {
      placeholder: "FILE",
      describe:
        "of fetches: also by autonomous system, from this file of address prefixes (pyasn, RouteViews or CAIDA pfx2as, iptoasn, or these as CSV; .gz and .zst too)",
    })
    .option("as-names", {
      rare: true,
      placeholder: "FILE",
      describe: "names of autonomous systems, a line each: 64500 Example",
    });

const textOf = (given: object, name: keyof OptionsOf<typeof definePrefixes>): string | undefined => {
  const value: unknown = Reflect.get(given, name);
  return typeof value === "string" ? value : undefined;
};

/**
 * Of a command's options. Null: none were given.
 * @throws UserError if a file cannot be read.
 */
export function systemsOf(given: object): AutonomousSystems | null {
  const [prefixes, names] = [textOf(given, "prefixes"), textOf(given, "as-names")];
  if (prefixes !== undefined) return readPrefixes(prefixes, names ?? null);
  if (names !== undefined) throw new UserError("--as-names names systems of --prefixes: give that too");
  return null;
}
