// Firefox started through any command line that ends in it, spoken to by WebDriver BiDi over the pipe of bridge.ts. Knows nothing of pages,
// lanes and links.
import { type Pipe, StartError, type Started, type StartOptions, startOnPipe } from "../pipe_program.ts";

/** An answer or an event; which members it has is the method's to say. */
export type Params = Readonly<Record<string, unknown>>;

type Listener = (params: Params) => void;

interface Message {
  readonly id?: number | null;
  readonly type: "success" | "error" | "event";
  readonly method?: string;
  readonly params?: Params;
  readonly result?: Params;
  readonly message?: string;
}

/** It reported that it cannot do what was requested. */
export class BidiError extends Error {
  override readonly name = "BidiError";
}

/** It is gone: who waits for its end says why. */
class ClosedError extends BidiError {
  override readonly name = "BidiError";
}

export class Bidi {
  readonly #pipe: Pipe;
  readonly #waiting = new Map<number, PromiseWithResolvers<Params>>();
  readonly #listeners: Listener[] = [];
  #last = 0;

  constructor(pipe: Pipe) {
    this.#pipe = pipe;
    pipe.onmessage = (message) => this.#take(JSON.parse(message) as Message);
    pipe.onclose = () => {
      for (const { reject } of this.#waiting.values()) reject(new ClosedError("Firefox closed its connection"));
      this.#waiting.clear();
    };
  }

  send(method: string, params: Params = {}): Promise<Params> {
    const answer = Promise.withResolvers<Params>();
    this.#waiting.set(++this.#last, answer);
    this.#pipe.send(JSON.stringify({ id: this.#last, method, params }));
    return answer.promise;
  }

  /** Each event, with its method among its params. */
  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  close(): void {
    this.#pipe.close();
  }

  #take({ id, type, method, params, result, message }: Message): void {
    if (type === "event") {
      for (const listener of this.#listeners) listener({ ...params, method });
      return;
    }
    const answer = this.#waiting.get(id ?? 0);
    this.#waiting.delete(id ?? 0);
    if (type === "success") answer?.resolve(result ?? {});
    else answer?.reject(new BidiError(message ?? "failed"));
  }
}

interface Tree {
  readonly contexts: readonly { readonly context: string; readonly url: string }[];
}

export async function contexts(bidi: Bidi, params: Params = {}): Promise<Tree["contexts"]> {
  return ((await bidi.send("browsingContext.getTree", params)) as unknown as Tree).contexts;
}

/** In Firefox's own window, whose scripts may do what Firefox may. */
export async function inFirefox(bidi: Bidi, expression: string): Promise<void> {
  const [window] = await contexts(bidi, { "moz:scope": "chrome" });
  const { type, exceptionDetails } = await bidi.send("script.evaluate", {
    expression,
    target: { context: window?.context ?? "" },
    awaitPromise: true,
  });
  if (type !== "success")
    throw new Error(`Firefox did not do it: ${String((exceptionDetails as Params | undefined)?.text)}`);
}

export interface RunningFirefox extends Started {
  readonly bidi: Bidi;
  readonly version: string;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Starts the program and speaks to its browser. StartError where that fails; then nothing of it is left. */
export async function startFirefox(options: StartOptions, signal?: AbortSignal): Promise<RunningFirefox> {
  const { peer, ...started } = await startOnPipe(
    options,
    {
      ofNetwork: '{"type":"event","method":"network.',
      async connect(pipe) {
        const bidi = new Bidi(pipe);
        const alwaysMatch = {
          // The replay's certificates are of its own authority: they are for a lab that reaches nothing else.
          acceptInsecureCerts: true,
          // No one is there to press OK, and a page that asks stands still until somebody does.
          unhandledPromptBehavior: { default: "accept" },
        };
        const { capabilities } = await bidi
          .send("session.new", { capabilities: { alwaysMatch } })
          .catch((error: unknown): never => {
            if (error instanceof ClosedError) throw error;
            throw new StartError(`it gave no WebDriver BiDi session: ${String(error)}`, null);
          });
        return { bidi, version: textOf((capabilities as Params | undefined)?.browserVersion) };
      },
      close: ({ bidi }) => bidi.close(),
    },
    signal,
  );
  return { ...started, ...peer };
}
