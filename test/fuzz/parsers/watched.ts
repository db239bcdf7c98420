// A parser fuzzed in a thread of its own, whose memory is bounded and which is watched: an input that takes too long, or too much memory, is
// a finding as an error is. The thread's own half is at the end.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setInterval } from "node:timers";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { checkout } from "../../../cli/base/programs.ts";
import { type Fuzzed, fuzz } from "./guided.ts";
import { folder as parentFolder, targets } from "./targets.ts";

const longest_ms = 20_000;
const most_MB = 1000;
const most_bytes = 1 << 16;

export interface Watching {
  readonly target: string;
  /** Of inputs to begin with; those that are not there are none. */
  readonly folders: readonly string[];
  readonly time_ms: number;
  readonly seed: number;
  /** Where inputs that run new code are written; null: nowhere. */
  readonly found: string | null;
}

export interface Watched extends Omit<Fuzzed, "finding"> {
  readonly finding: { readonly input: Buffer; readonly what: string } | null;
}

export const corpusOf = (target: string): string => join(checkout, "test", "fuzz", "corpus", target);
export const inputName = (input: Buffer): string => createHash("sha1").update(input).digest("hex");

/** Smallest first, the same order each time. */
export function inputsIn(folders: readonly string[]): Buffer[] {
  const paths = folders.filter(existsSync).flatMap((folder) =>
    readdirSync(folder)
      .toSorted()
      .map((name) => join(folder, name)),
  );
  return paths.map((path) => readFileSync(path)).toSorted((a, b) => a.length - b.length);
}

/** What the thread says at its end, as structured clones carry it. */
interface Said extends Omit<Fuzzed, "finding"> {
  readonly finding: { readonly input: Uint8Array; readonly what: string } | null;
}

export async function watchedFuzz(watching: Watching): Promise<Watched> {
  // The number of executions, and the size of the input that is being parsed, with its bytes.
  const shared = {
    counts: new Int32Array(new SharedArrayBuffer(8)),
    input: new Uint8Array(new SharedArrayBuffer(most_bytes)),
  };
  const worker = new Worker(import.meta.filename, {
    workerData: { watching, shared, parentFolder },
    resourceLimits: { maxOldGenerationSizeMb: most_MB },
  });
  const finding = (what: string): Watched => {
    const input = Buffer.from(shared.input.slice(0, shared.counts[1]));
    return { executions: shared.counts[0] ?? 0, characters: 0, inputs: 0, finding: { input, what } };
  };
  let [seen, since_ms] = [0, performance.now()];
  return await new Promise((resolve) => {
    const watch = setInterval(() => {
      const count = Atomics.load(shared.counts, 0);
      if (count !== seen) [seen, since_ms] = [count, performance.now()];
      else if (performance.now() - since_ms > longest_ms) end(finding(`not done after ${longest_ms / 1000} s`));
    }, 1000);
    const end = (watched: Watched): void => {
      clearInterval(watch);
      void worker.terminate().then(() => resolve(watched));
    };
    worker.once("error", (error) => end(finding(error instanceof Error ? error.message : String(error))));
    worker.once("message", ({ finding: found, ...said }: Said) =>
      end({ ...said, finding: found && { ...found, input: Buffer.from(found.input) } }),
    );
  });
}

/** A thread's half. */
async function work(
  watching: Watching,
  shared: { readonly counts: Int32Array; readonly input: Uint8Array },
): Promise<void> {
  const { target, folders, time_ms, seed, found } = watching;
  const parse = targets[target];
  if (!parse) throw new Error(`no target ${target}`);
  const end_ms = performance.now() + time_ms;
  const { finding, ...fuzzed } = await fuzz({
    ...{ parse, seed, corpus: inputsIn(folders), mayGoOn: () => performance.now() < end_ms },
    onInput: (input) => {
      shared.input.set(input.subarray(0, most_bytes));
      shared.counts[1] = Math.min(input.length, most_bytes);
      Atomics.add(shared.counts, 0, 1);
    },
    onNew: (input) => {
      if (found === null) return;
      mkdirSync(found, { recursive: true });
      writeFileSync(join(found, inputName(input)), input);
    },
  });
  const error = finding?.error;
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  parentPort?.postMessage({ ...fuzzed, finding: finding && { input: finding.input, what } } satisfies Said);
}

if (!isMainThread && workerData?.watching) await work(workerData.watching, workerData.shared);
