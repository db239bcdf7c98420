// What is counted as one in figures of fetches, and what a link is called.
import { count } from "../../../base/numbers.ts";
import type { Unit } from "../answer/units.ts";

/** `7 hosts`. */
export const unitCount = (n: number, unit: Unit): string =>
  unit === "fetch" ? count(n, "fetch", "fetches") : count(n, unit);

export const unitNames: Readonly<Record<Unit, string>> = {
  host: "hosts by their median",
  object: "objects by their median",
  fetch: "fetches",
};

/** The link in sentences; null: the network as it is. */
export const linkName = (link: string | null): string => link ?? "the network as it is";
