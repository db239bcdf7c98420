// Which characters of our code ran, function by function, as V8 counts them. It reports blocks only if they ran another number of times than
// what is around them, so that blocks by themselves are no names of anything. Looks take some ten milliseconds: several inputs are run
// between two.
import { Session } from "node:inspector";

interface CountedFunction {
  /** Outer ones first. */
  readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
}

interface Script {
  readonly url: string;
  readonly functions: readonly CountedFunction[];
}

/** 1 for each character that ran, by function. */
export type Ran = ReadonlyMap<string, Uint8Array>;

function charactersOf({ ranges }: CountedFunction): Uint8Array {
  const start = ranges[0]?.startOffset ?? 0;
  const ran = new Uint8Array((ranges[0]?.endOffset ?? start) - start);
  for (const { startOffset, endOffset, count } of ranges)
    ran.fill(count > 0 ? 1 : 0, startOffset - start, endOffset - start);
  return ran;
}

export class Coverage {
  readonly #session = new Session();
  readonly #known = new Map<string, Uint8Array>();
  readonly #ours: RegExp;

  /** `ours`: of the files whose code counts. */
  constructor(ours = /\/(cli|extension)\//) {
    this.#ours = ours;
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** Characters of code that ran. */
  get characters(): number {
    return [...this.#known.values()].reduce((sum, ran) => sum + ran.reduce((count, each) => count + each, 0), 0);
  }

  /** Functions of which something ran since the last look that is not known yet. */
  look(): Ran {
    let scripts: readonly Script[] = [];
    this.#session.post("Profiler.takePreciseCoverage", (error, { result }) => {
      if (error) throw error;
      scripts = result;
    });
    const fresh = new Map<string, Uint8Array>();
    for (const { url, functions } of scripts) {
      if (!this.#ours.test(url)) continue;
      for (const counted of functions) {
        const [whole] = counted.ranges;
        if (!whole || whole.count === 0) continue;
        const name = `${url} ${whole.startOffset} ${whole.endOffset}`;
        const ran = charactersOf(counted);
        const known = this.#known.get(name);
        if (!known || ran.some((each, at) => each > (known[at] as number))) fresh.set(name, ran);
      }
    }
    return fresh;
  }

  learn(fresh: Ran): void {
    for (const [name, ran] of fresh) {
      const known = this.#known.get(name);
      this.#known.set(name, known ? known.map((each, at) => each | (ran[at] as number)) : ran);
    }
  }
}
