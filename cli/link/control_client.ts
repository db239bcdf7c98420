// Talks to a running link through its control socket (trilane-shaper --control): one line of request, one line of answer.
// Does not start links or draw.
import { createConnection, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type {
  ControlAskStats,
  ControlAskSteer,
  ControlStats,
  ControlSteered,
} from "../../schemas/generated/shaper_control.ts";
import type { ShaperStats } from "../../schemas/generated/shaper_stats.ts";
import { RunError, UserError } from "../base/errors.ts";

export type { ShaperStats, ShaperStatsDirection } from "../../schemas/generated/shaper_stats.ts";

/** The lab is gone: its command has ended. */
export class LinkEnded extends RunError {}

type Answer = ControlStats | ControlSteered | { readonly ok: false; readonly error: string };

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

function connectError(path: string, error: NodeJS.ErrnoException): Error {
  if (error.code === "ENOENT") return new UserError(`control: no socket at ${path}: is the lab running?`);
  if (error.code === "ECONNREFUSED")
    return new UserError(`control: nothing listens at ${path}: its lab has ended, or it is no socket`);
  return new UserError(`control: ${path}: ${error.message}`);
}

export class LinkControl {
  readonly #socket: Socket;
  readonly #waiting: Waiting[] = [];
  #ended = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    createInterface({ input: socket }).on("line", (line) => this.#take(line));
    socket.on("error", () => this.#end());
    socket.on("close", () => this.#end());
  }

  /** UserError if nothing listens. */
  static connect(path: string): Promise<LinkControl> {
    return new Promise((resolve, reject) => {
      const socket = createConnection({ path });
      const refuse = (error: NodeJS.ErrnoException) => reject(connectError(path, error));
      socket.once("error", refuse);
      socket.once("connect", () => {
        socket.off("error", refuse);
        resolve(new LinkControl(socket));
      });
    });
  }

  /** LinkEnded once the lab has gone. */
  async stats(): Promise<ShaperStats> {
    const answer = await this.#ask({ command: "stats" });
    if (!("stats" in answer)) throw new RunError(`control: ${"error" in answer ? answer.error : "no stats"}`);
    return answer.stats;
  }

  /** The link's new form. UserError where the change cannot be taken. */
  async steer(link: string): Promise<ControlSteered> {
    const answer = await this.#ask({ command: "steer", link });
    if ("error" in answer) throw new UserError(answer.error);
    if (!("link" in answer)) throw new RunError("control: the link did not say what it is now");
    return answer;
  }

  close(): void {
    this.#socket.destroy();
  }

  #ask(request: ControlAskStats | ControlAskSteer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#ended) {
        reject(new LinkEnded("control: the link has ended"));
        return;
      }
      this.#waiting.push({ resolve, reject });
      this.#socket.write(`${JSON.stringify(request)}\n`);
    });
  }

  #take(line: string): void {
    // Of a program of the same build, whose tests hold it to the schema.
    this.#waiting.shift()?.resolve(JSON.parse(line) as Answer);
  }

  #end(): void {
    this.#ended = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new LinkEnded("control: the link has ended"));
  }
}
