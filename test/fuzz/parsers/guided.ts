// Runs a parser over inputs and changes of them, and keeps each change that runs code which none before did, to be changed in its turn.
// Ends at the first input with which the parser does something else than parse, or refuse in words.
import { RunError, UserError } from "../../../cli/base/errors.ts";
import { randomSource } from "../../../cli/base/random.ts";
import { Coverage } from "./coverage.ts";
import { mutated, wordsOf } from "./mutation.ts";

/** May refuse with a UserError or RunError; whatever else it throws is a finding. */
export type Parser = (input: Buffer) => unknown;

export interface Fuzzing {
  readonly parse: Parser;
  readonly corpus: readonly Buffer[];
  readonly seed: number;
  /** Default: of all that Trilane runs. */
  readonly coverage?: Coverage;
  readonly mayGoOn: () => boolean;
  /** Before each execution. */
  readonly onInput?: (input: Buffer) => void;
  /** An input that runs new code. */
  readonly onNew?: (input: Buffer) => void;
}

export interface Fuzzed {
  readonly executions: number;
  readonly characters: number;
  readonly inputs: number;
  readonly finding: { readonly input: Buffer; readonly error: unknown } | null;
}

/** Between two looks at the coverage. */
const batch = 24;

class Finding extends Error {
  readonly input: Buffer;
  constructor(input: Buffer, cause: unknown) {
    super("finding", { cause });
    this.input = input;
  }
}

export async function fuzz({
  parse,
  corpus,
  seed,
  mayGoOn,
  onInput,
  onNew,
  coverage = new Coverage(),
}: Fuzzing): Promise<Fuzzed> {
  const random = randomSource(seed, "fuzz");
  const inputs: Buffer[] = [];
  const words = new Map<string, Buffer>();
  let executions = 0;
  const run = async (input: Buffer): Promise<void> => {
    onInput?.(input);
    executions++;
    try {
      await parse(Buffer.from(input));
    } catch (error) {
      if (!(error instanceof UserError || error instanceof RunError)) throw new Finding(input, error);
    }
  };
  const keep = (input: Buffer): void => {
    inputs.push(input);
    if (words.size < 4000) for (const word of wordsOf(input)) words.set(word.toString("latin1"), word);
  };
  /** The half of them is drawn among the newest, which lead on. */
  const drawn = (): Buffer => {
    const newest = Math.max(0, inputs.length - 20);
    const from = random() < 0.5 ? newest : 0;
    return inputs[from + Math.floor(random() * (inputs.length - from))] ?? Buffer.alloc(0);
  };
  try {
    for (const input of corpus) {
      await run(input);
      keep(input);
    }
    coverage.learn(coverage.look());
    while (mayGoOn()) {
      const known = [...words.values()];
      const made = Array.from({ length: batch }, () => mutated(drawn(), inputs, known, random));
      for (const input of made) await run(input);
      const all = coverage.look();
      // Which of them it was, only a run by itself says. What runs once in a process (a cache is filled) is found no second time.
      for (const input of all.size > 0 ? made : []) {
        await run(input);
        const own = coverage.look();
        if (own.size === 0) continue;
        coverage.learn(own);
        keep(input);
        onNew?.(input);
      }
      coverage.learn(all);
    }
    return { executions, characters: coverage.characters, inputs: inputs.length, finding: null };
  } catch (error) {
    if (!(error instanceof Finding)) throw error;
    const finding = { input: error.input, error: error.cause };
    return { executions, characters: coverage.characters, inputs: inputs.length, finding };
  }
}
