// A conversation with a trilane-host of its own, for tests: each message that comes is held to the schema.
import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { after } from "node:test";
import { programPath } from "../../cli/base/programs.ts";
import { FrameReader, frameOf } from "../../cli/recording/archive/host.ts";
import { schemaErrors } from "../schemas/schema_errors.ts";

export type Fields = Readonly<Record<string, unknown>>;
export interface Message extends Fields {
  readonly id: number;
  readonly event?: string;
  readonly error?: { readonly code: string; readonly message: string } | null;
}

/** A host and what it says; every message is held to the schema. */
export class Host {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #frames = new FrameReader();
  readonly #heard: Message[] = [];
  #wake: () => void = () => {};
  #id = 0;
  #isGone = false;

  /** `cli`: another command line than the installation's. */
  constructor(home: string, cli?: string) {
    const words = ["--home", home, ...(cli === undefined ? [] : ["--cli", cli])];
    this.child = spawn(programPath("trilane-host"), words, { stdio: ["pipe", "pipe", "inherit"] });
    // Left by a test that failed, a host would keep its file's process from ending.
    after(() => this.child.kill("SIGKILL"));
    this.child.stdin.on("error", () => {});
    this.child.on("close", () => {
      this.#isGone = true;
      this.#wake();
    });
    this.child.stdout.on("data", (chunk: Buffer) => {
      for (const bytes of this.#frames.read(chunk)) {
        const message = JSON.parse(bytes.toString()) as Message;
        const errors = schemaErrors("message", message, "event" in message ? "event" : "answer");
        assert.equal(errors, null, JSON.stringify(message));
        this.#heard.push(message);
      }
      this.#wake();
    });
  }

  post(type: string, fields: Fields = {}): number {
    this.child.stdin.write(frameOf(Buffer.from(JSON.stringify({ id: ++this.#id, type, ...fields }))));
    return this.#id;
  }

  /** The next thing said about this message. */
  async next(id: number): Promise<Message> {
    for (;;) {
      const at = this.#heard.findIndex((message) => message.id === id);
      const [message] = at < 0 ? [] : this.#heard.splice(at, 1);
      if (message) return message;
      if (this.#isGone) throw new Error("the host ended without an answer");
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The document that a message is answered with, whether whole or in parts. */
  async document(type: string, fields: Fields = {}): Promise<Fields> {
    const id = this.post(type, fields);
    const parts: string[] = [];
    for (;;) {
      const message = await this.next(id);
      assert.equal(message.error, undefined, JSON.stringify(message));
      if (message.event === "part") parts.push(message.data as string);
      else if (message.parts === undefined) return message.result as Fields;
      else return JSON.parse(parts.join("")) as Fields;
    }
  }

  async ask(type: string, fields: Fields = {}): Promise<Message> {
    return await this.next(this.post(type, fields));
  }

  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await once(this.child, "close");
  }

  async end(): Promise<void> {
    this.child.stdin.end();
    const [status] = (await once(this.child, "close")) as [number];
    assert.equal(status, 0);
  }
}
