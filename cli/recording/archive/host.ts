// A conversation with trilane-host: starts the program, writes messages, matches answers by id, sees it end.
// Does not know what the messages mean.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { endianness } from "node:os";
import type { Readable, Writable } from "node:stream";
import { listenToStderr } from "../../base/debug.ts";
import { NameTakenError, NoRoomError, RunError, UserError } from "../../base/errors.ts";

// Native messaging's frames: a 4-byte length in the machine's byte order, then that many bytes of JSON. Pure.

const lengthSize = 4;
// No answer is near this long (see schemas/message.schema.json): what says so is no frame.
const maximumSize_bytes = 16 * 1024 * 1024;
const littleEndian = endianness() === "LE";

export function frameOf(message: Buffer): Buffer {
  const length = Buffer.alloc(lengthSize);
  if (littleEndian) length.writeUInt32LE(message.length);
  else length.writeUInt32BE(message.length);
  return Buffer.concat([length, message]);
}

/** Takes a stream apart into messages. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #size = 0;

  /** The bytes of each message that is whole now. Throws for a length that cannot be. */
  *read(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    while (this.#size >= lengthSize) {
      const start = this.#join(lengthSize);
      const size = littleEndian ? start.readUInt32LE() : start.readUInt32BE();
      if (size > maximumSize_bytes) throw new RangeError(`a message of ${size} bytes`);
      if (this.#size < lengthSize + size) return;
      const bytes = this.#join(lengthSize + size);
      this.#chunks[0] = bytes.subarray(lengthSize + size);
      this.#size -= lengthSize + size;
      yield bytes.subarray(lengthSize, lengthSize + size);
    }
  }

  // A buffer with at least the first `size` bytes, which are there: joined only then, so that a long message is copied once.
  #join(size: number): Buffer {
    const [first] = this.#chunks;
    if (first && first.length >= size) return first;
    const whole = Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return whole;
  }
}

export type Answer = Readonly<Record<string, unknown>>;

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

const stderrKept = 4096;
const endGrace_ms = 10_000;

// What the user can put right by other input; all else is a run that failed.
const userCodes: ReadonlySet<string> = new Set(["not-found", "foreign", "newer", "read-only", "too-large"]);

function errorOf(error: unknown): Error {
  const { code, message, remedy } = error as { code: string; message: string; remedy: string };
  const line = `${message}: ${remedy}`;
  if (code === "disk-full") return new NoRoomError(line);
  if (code === "exists") return new NameTakenError(line);
  return userCodes.has(code) ? new UserError(line) : new RunError(line);
}

export class HostConversation {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #frames = new FrameReader();
  readonly #waiting = new Map<number, Waiting>();
  readonly #ended: Promise<void>;
  #nextId = 1;
  #over: Error | undefined;

  constructor(program: string, words: readonly string[]) {
    // A process group of its own: Ctrl-C at the terminal is ours to act on, and the host ends when its input does,
    // which it also does when we are killed.
    this.#child = spawn(program, words, { stdio: ["pipe", "pipe", "pipe"], detached: true });
    this.#child.stdout.on("data", (chunk: Buffer) => this.#received(chunk));
    const stderr = listenToStderr(this.#child.stderr, stderrKept);
    // Writing to a host that has gone: its end says why.
    this.#child.stdin.on("error", () => {});
    this.#ended = new Promise((resolve) => {
      this.#child.on("error", (error) => {
        this.#finish(`cannot be started: ${error.message}`);
        resolve();
      });
      this.#child.on("close", (status, signal) => {
        const line = stderr().trim().split("\n").at(-1);
        this.#finish(line || (signal ? `was killed by ${signal}` : `ended with status ${status}`));
        resolve();
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Of what was sent. */
  get unread_bytes(): number {
    return this.#child.stdin.writableLength;
  }

  /** Sends a message and resolves to its answer's fields, or rejects with the UserError or RunError that it names. */
  send(type: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    if (this.#over) return Promise.reject(this.#over);
    const id = this.#nextId++;
    const message = Buffer.from(JSON.stringify({ id, type, ...fields }));
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.stdin.write(frameOf(message));
    });
  }

  /** Ends the host and waits until it has gone. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    const late = setTimeout(() => this.#kill(), endGrace_ms);
    await this.#ended;
    clearTimeout(late);
  }

  // With all that it may have started.
  #kill(): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL");
    } catch {
      // gone already
    }
  }

  #received(chunk: Buffer): void {
    try {
      for (const bytes of this.#frames.read(chunk)) this.#answered(JSON.parse(bytes.toString()) as Answer);
    } catch (error) {
      this.#finish(`answered what is no answer (${(error as Error).message})`);
      this.#kill();
    }
  }

  #answered(answer: Answer): void {
    // Progress, which none of the questions here has.
    if ("event" in answer) return;
    const waiting = this.#waiting.get(answer.id as number);
    this.#waiting.delete(answer.id as number);
    if (answer.ok === true) waiting?.resolve(answer);
    else waiting?.reject(errorOf(answer.error));
  }

  #finish(why: string): void {
    this.#over ??= new RunError(`${why.startsWith("trilane-host: ") ? "" : "trilane-host: "}${why}: try again`);
    for (const waiting of this.#waiting.values()) waiting.reject(this.#over);
    this.#waiting.clear();
  }
}
