// A program started with a pipe on its descriptors 3 and 4, as browsers take it, and ended without a trace. Knows no browser and no
// protocol: who speaks to it says in which messages.
//
// The process is started here and not by puppeteer: what is started is the lab, whose programs must be given the time
// to write their reports, and puppeteer ends a browser by killing its whole process group.
import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { debugLine } from "../base/debug.ts";
import { endPrecedence, takePrecedence } from "../base/precedence.ts";
import { type Exit, exitOf, killedBy, killGroup, settles } from "../base/process_group.ts";

// Messages of a browser, in their order; for a while those of its network are kept as they came, unread, until another one comes or
// the while is over. A page's load makes hundreds that no one asks about before it has ended, and what reads them meanwhile
// takes its time from the load. All others (a frame in a process of its own, which stands still until it is answered) are handed on at
// once, after those before them.

export class HeldMessages {
  readonly #deliver: (message: string) => void;
  readonly #ofNetwork: Buffer;
  #held: Buffer[] = [];
  #isHolding = false;

  /** `ofNetwork`: how a message of the network begins. */
  constructor(deliver: (message: string) => void, ofNetwork: string) {
    this.#deliver = deliver;
    this.#ofNetwork = Buffer.from(ofNetwork);
  }

  take(message: Buffer): void {
    if (this.#isHolding && message.subarray(0, this.#ofNetwork.length).equals(this.#ofNetwork)) {
      this.#held.push(message);
      return;
    }
    this.#handOn();
    this.#deliver(message.toString("utf8"));
  }

  hold(): void {
    this.#isHolding = true;
  }

  release(): void {
    this.#isHolding = false;
    this.#handOn();
  }

  #handOn(): void {
    const held = this.#held;
    this.#held = [];
    for (const message of held) this.#deliver(message.toString("utf8"));
  }
}

export interface StartOptions {
  /** The program and its arguments; its descriptors 3 and 4 must reach the browser. */
  readonly commandLine: readonly string[];
  readonly environment: Record<string, string>;
  readonly timeout_ms: number;
}

export interface Started {
  /** The started program's: the lab's outermost one. */
  readonly pid: number;
  readonly exited: Promise<Exit>;
  /** Sends the started program a signal, if it still runs: to the lab's outermost program, not to the browser in it. */
  signal(name: NodeJS.Signals): void;
  /** What it reports of its network meanwhile is read once `work` is done, or where another message comes after it. */
  heldDuring<T>(work: () => Promise<T>): Promise<T>;
  /** Ends it: a request to close, then terminated, then killed. Settles when the process is gone. Call it as often as you like. */
  stop(): Promise<Exit>;
}

/** The program ended, or did not answer in time, before it could be spoken to. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly exit: Exit | null;
  constructor(message: string, exit: Exit | null) {
    super(message);
    this.exit = exit;
  }
}

// Once its data are in hand no one waits for a browser that takes its time.
const closePatience_ms = 1500;
const terminatePatience_ms = 4000;

/** The browser's end of the pipe: messages in JSON, each ended by a NUL. */
export class Pipe {
  // Assigned by who speaks to the browser.
  onmessage?: (message: string) => void;
  onclose?: () => void;
  readonly held: HeldMessages;
  readonly #write: Writable;
  #pending: Buffer[] = [];

  constructor(write: Writable, read: Readable, ofNetwork: string) {
    this.held = new HeldMessages((message) => this.onmessage?.(message), ofNetwork);
    this.#write = write;
    // A browser that is gone shows as the end of `read`; a failed write says nothing more.
    write.on("error", () => {});
    read.on("error", () => {});
    read.on("data", (chunk: Buffer) => this.#take(chunk));
    read.on("close", () => {
      this.held.release();
      this.onclose?.();
    });
  }

  send(message: string): void {
    if (this.#write.writable) this.#write.write(`${message}\0`);
  }

  close(): void {
    this.#write.end();
  }

  #take(chunk: Buffer): void {
    this.#pending.push(chunk);
    if (!chunk.includes(0)) return;
    const bytes = Buffer.concat(this.#pending);
    let start = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
      const message = bytes.subarray(start, end);
      start = end + 1;
      this.held.take(message);
    }
    this.#pending = [bytes.subarray(start)];
  }
}

/** What speaks over the pipe. */
export interface Speech<Peer> {
  /** How messages of the network begin, which may be held. */
  readonly ofNetwork: string;
  /** Settles when the browser has answered. */
  readonly connect: (pipe: Pipe) => Promise<Peer>;
  /** Asks the browser to close. */
  readonly close: (peer: Peer) => void;
}

/** Starts the program and speaks to its browser. StartError where that fails; then nothing of it is left. */
export async function startOnPipe<Peer>(
  options: StartOptions,
  speech: Speech<Peer>,
  signal?: AbortSignal,
): Promise<Started & { readonly peer: Peer }> {
  const [program, ...programArguments] = options.commandLine;
  if (program === undefined) throw new StartError("no command line", null);
  signal?.throwIfAborted();
  debugLine("lab", () => options.commandLine.join(" "));
  const child = spawn(program, programArguments, {
    // A process group of its own: Ctrl-C in the terminal is for the command line, which then ends the lab in order.
    detached: true,
    env: options.environment,
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
  });
  takePrecedence(child.pid);
  const exited = exitOf(child);
  // Without this process the browser ends by itself (its pipe closes), but an exit should not have to wait for that.
  const onExit = () => killGroup(child, "SIGKILL");
  process.prependOnceListener("exit", onExit);
  void exited.then(() => process.off("exit", onExit));

  const [, , , write, read] = child.stdio;
  const pipe = new Pipe(write as Writable, read as Readable, speech.ofNetwork);
  let peer: { readonly of: Peer } | undefined;
  const end = async (): Promise<Exit> => {
    endPrecedence(child.pid);
    if (peer) speech.close(peer.of);
    if (peer === undefined || !(await settles(exited, closePatience_ms))) {
      child.kill("SIGTERM");
      if (!(await settles(exited, terminatePatience_ms))) killGroup(child, "SIGKILL");
    }
    return exited;
  };
  let ending: Promise<Exit> | undefined;
  const stop = (): Promise<Exit> => {
    ending ??= end();
    return ending;
  };

  try {
    peer = { of: await answered(speech.connect(pipe), exited, options.timeout_ms, signal) };
  } catch (error) {
    await stop();
    throw error;
  }
  const heldDuring = async <T>(work: () => Promise<T>): Promise<T> => {
    pipe.held.hold();
    try {
      return await work();
    } finally {
      pipe.held.release();
    }
  };
  return {
    pid: child.pid ?? 0,
    peer: peer.of,
    exited,
    signal: (name) => void child.kill(name),
    heldDuring,
    stop,
  };
}

async function answered<Peer>(
  connecting: Promise<Peer>,
  exited: Promise<Exit>,
  timeout_ms: number,
  signal: AbortSignal | undefined,
): Promise<Peer> {
  connecting.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const onAbort = Promise.withResolvers<never>();
  onAbort.promise.catch(() => {});
  const abort = () => onAbort.reject(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    const ended = exited.then((exit): never => {
      throw new StartError(`it ended before it answered${lastLine(exit)}`, exit);
    });
    return await Promise.race([
      // A pipe that closes first shows as a call that failed; the end follows, and says why. What the speaker says itself is the reason.
      connecting.catch((error: unknown) => (error instanceof StartError ? Promise.reject(error) : ended)),
      ended,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new StartError(`it did not answer within ${timeout_ms} ms`, null)), timeout_ms);
      }),
      onAbort.promise,
    ]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** A browser says much that is no reason for its end; what was killed had none. */
function lastLine(exit: Exit): string {
  const signal = killedBy(exit);
  if (signal !== null) return ` (${signal})`;
  const line = exit.stderr.trim().split("\n").at(-1) ?? "";
  return line === "" ? "" : `: ${line}`;
}
