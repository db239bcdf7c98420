// Which of the lines about attempts that are not valid are shown: the first of each kind, with its remedy. The line with the progress
// counts the others. Writes nothing.
import { reasonKind } from "../../results/verdict/verdict.ts";

/** Kinds of reasons: more are counted only. */
const mostKinds = 10;

export class TroubleLimit {
  #count = 0;
  readonly #kinds = new Set<string>();

  /** Of all attempts so far, shown or not. */
  get count(): number {
    return this.#count;
  }

  /** Whether this one is shown. */
  admits(reason: string): boolean {
    this.#count++;
    const kind = reasonKind(reason);
    if (this.#kinds.has(kind) || this.#kinds.size >= mostKinds) return false;
    this.#kinds.add(kind);
    return true;
  }
}
