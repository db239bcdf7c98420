// What a command in a root came to, from its exit status and what it printed. Pure.

export interface Ending {
  /** null: it was killed. */
  readonly status: number | null;
  readonly isLate: boolean;
  readonly limit_min: number;
  readonly output: string;
}

export interface Outcome {
  readonly passed: boolean;
  readonly result: string;
  readonly last: string;
}

/** The last line with anything in it, without the colours and the rewriting of terminals. */
export function lastLine(output: string): string {
  const lines = output.split(/[\r\n]+/).map((line) => line.trim());
  return lines.findLast((line) => line !== "") ?? "";
}

/** npm adds lines of its own after a command that failed. */
const withoutNpm = (output: string): string =>
  output
    .split("\n")
    .filter((line) => !/^npm (ERR!|error|notice|warn)/i.test(line))
    .join("\n");

/** Where apt has no Rust that is new enough, the remedy in one line is all that set-up can give. */
const rustRemedy = /^setup: Rust [0-9.]+ or newer is missing .*rustup\.rs/;

/** Set-up passed and the report was written: again on a machine that does nothing else. */
const disturbed = /^trilane: no load of .* the machine disturbed all of them: /;

export function outcomeOf(command: "setup" | "start" | "test" | "deb" | "npm", ending: Ending): Outcome {
  const last = lastLine(withoutNpm(ending.output));
  if (ending.isLate) return { passed: false, result: `over ${ending.limit_min} min`, last };
  if (ending.status !== 0 && rustRemedy.test(last)) return { passed: true, result: "remedy named", last };
  if (ending.status === null) return { passed: false, result: "killed", last };
  if (disturbed.test(last)) return { passed: false, result: "inconclusive: disturbed", last };
  if (ending.status !== 0) return { passed: false, result: `exit status ${ending.status}`, last };
  if (command === "start" && !/\.html\b/.test(last)) return { passed: false, result: "no report", last };
  return { passed: true, result: "passed", last };
}
