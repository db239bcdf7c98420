// Which autonomous systems announce an address: by the longest prefix that has it. Pure; prefix_line.ts reads the lines.
import { type Address, bitsOf, type Family, networkOf, type Prefix } from "./address.ts";

/** By length, and among those of one length by the network. */
type Lengths = Map<number, Map<string, readonly number[]>>;

/** V8 hashes of a big integer its lowest 64 bits only, in which networks of IPv6 are alike: of a text it hashes all. */
const keyOf = (network: bigint): string => network.toString(32);

export class PrefixTable {
  readonly #families: Readonly<Record<Family, Lengths>> = { 4: new Map(), 6: new Map() };
  /** Lengths that there are, the longest first; made anew after a change. */
  readonly #ordered: Record<Family, readonly number[] | null> = { 4: null, 6: null };
  #prefixes = 0;

  /** How many it has. */
  get size(): number {
    return this.#prefixes;
  }

  /** Of the same prefix twice both count, as of one with several origins. */
  add({ family, value, length }: Prefix, asns: readonly number[]): void {
    const lengths = this.#families[family];
    const networks = lengths.get(length) ?? new Map<string, readonly number[]>();
    const key = keyOf(value);
    const known = networks.get(key);
    if (known === undefined) this.#prefixes++;
    if (networks.size === 0) {
      lengths.set(length, networks);
      this.#ordered[family] = null;
    }
    networks.set(key, known === undefined ? asns : [...new Set([...known, ...asns])]);
  }

  /** Empty: of the longest prefix it is said that nobody announces it. Null: no prefix has the address. */
  originsOf(address: Address): readonly number[] | null {
    const { family } = address;
    const lengths = this.#families[family];
    this.#ordered[family] ??= [...lengths.keys()].sort((a, b) => b - a);
    for (const length of this.#ordered[family]) {
      const found = lengths.get(length)?.get(keyOf(networkOf(address, Math.min(length, bitsOf(family)))));
      if (found !== undefined) return found;
    }
    return null;
  }
}
