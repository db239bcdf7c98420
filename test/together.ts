// Unit files that may run in one process: starting one for each, and loading the same sources and schemas in it, takes longer than most
// tests. Writes files with a suite for some of them each, neighbours together, and prints what is to be run: these, then the files that
// change or watch their process. Hooks of a file are its suite's.
//
//   node test/together.ts FOLDER HOW-MANY FILE...
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const ownProcess: readonly RegExp[] = [
  /process\.(?:env\.\w+ =[^=]|env\[[^\]]*\] =[^=]|exitCode =|std(?:out|err)\.write =)/,
  /process\.(?:chdir|exit|on|once|umask|cpuUsage)\(|delete process|Object\.assign\(process/,
  // A test's own mocks (context.mock) end with it.
  /(?<!\w\.)mock\.|globalThis\./,
  // What measures its process's time, or weighs it.
  /growth\.ts|cpu_time|\/proc\/self\/autogroup/,
];

export const needsOwnProcess = (text: string): boolean => ownProcess.some((pattern) => pattern.test(text));

/** Neighbours in so many groups, of about as many each. */
export function groupsOf<Item>(items: readonly Item[], howMany: number): Item[][] {
  return Array.from({ length: howMany }, (_, place) => {
    const at = (end: number): number => Math.round((end * items.length) / howMany);
    return items.slice(at(place), at(place + 1));
  }).filter(({ length }) => length > 0);
}

function main([folder = "", howMany = "", ...files]: readonly string[]): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const alone = files.filter((file) => needsOwnProcess(readFileSync(file, "utf8")));
  const together = files.filter((file) => !alone.includes(file)).toSorted();
  for (const [place, group] of groupsOf(together, Number(howMany)).entries()) {
    const path = join(folder, `${place + 1}.test.mjs`);
    const suites = group.map((file) => {
      const [name, from] = [file, resolve(file)].map((each) => JSON.stringify(each));
      return `describe(${name}, async () => { await import(${from}); });\n`;
    });
    writeFileSync(path, `import { describe } from "node:test";\n${suites.join("")}`);
    console.log(path);
  }
  for (const file of alone) console.log(file);
}

if (import.meta.main) main(process.argv.slice(2));
