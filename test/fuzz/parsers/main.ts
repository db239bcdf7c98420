// `npm run fuzz -- TARGET --minutes N [--keep]`, or TARGET FILE for one input, for the parsers in TypeScript; run.sh has those in C. A finding's input lies in build/fuzz, and
// new inputs in build/fuzz/corpus/TARGET; with --keep those are stored that reach something which no smaller one does.
import { randomInt } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkout } from "../../../cli/base/programs.ts";
import { Coverage } from "./coverage.ts";
import { targets } from "./targets.ts";
import { corpusOf, inputName, inputsIn, watchedFuzz } from "./watched.ts";

/** Beside what is stored of all the others: below 5 MB. */
const mostStored_bytes = 200_000;

async function keep(target: string, folders: readonly string[]): Promise<number> {
  const coverage = new Coverage();
  const kept: Buffer[] = [];
  let size_bytes = 0;
  // The code that all inputs share is loaded, and learned by the first.
  for (const input of inputsIn(folders)) {
    try {
      await targets[target]?.(input);
    } catch {
      // It refused it.
    }
    const ran = coverage.look();
    coverage.learn(ran);
    if (ran.size === 0 || size_bytes + input.length > mostStored_bytes) continue;
    size_bytes += input.length;
    kept.push(input);
  }
  const stored = corpusOf(target);
  rmSync(stored, { recursive: true, force: true });
  mkdirSync(stored, { recursive: true });
  for (const input of kept) writeFileSync(join(stored, inputName(input)), input);
  return kept.length;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string" },
    keep: { type: "boolean", default: false },
    // These keep nothing from one input to the next.
    fresh: { type: "boolean", default: false },
  },
});
const [target = "", file] = positionals;
const minutes = Number(values.minutes);
if (!targets[target] || !(minutes >= 0 && minutes < 1e5)) {
  console.error(`fuzz: name a target (${Object.keys(targets).join(", ")}) and --minutes N`);
  process.exit(2);
}
if (file !== undefined) {
  await targets[target]?.(readFileSync(file));
  console.log(`${target}: ${file} is taken or refused as it should be`);
  process.exit();
}
const build = join(checkout, "build", "fuzz");
const found = join(build, "corpus", target);
const folders = [corpusOf(target), found];
const seed = Number(values.seed ?? randomInt(1e9));
const fuzzed = await watchedFuzz({ target, folders, time_ms: minutes * 60_000, seed, found });
const { executions, characters, inputs, finding } = fuzzed;
console.log(`${target}: ${executions} executions, ${characters} characters of code, ${inputs} inputs, seed ${seed}`);
if (finding) {
  const path = join(build, `${target}-${inputName(finding.input)}`);
  writeFileSync(path, finding.input);
  console.error(`fuzz: ${path}: ${finding.what}`);
  process.exitCode = 1;
} else if (values.keep) console.log(`${await keep(target, folders)} inputs stored in ${corpusOf(target)}`);
