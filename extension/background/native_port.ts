// The only user of chrome.runtime.connectNative: one conversation with trilane-host, opened when first needed and closed
// when nothing has been under way for a while, so that the service worker may sleep. Matches answers to messages by id,
// hands on events, joins documents that come in parts, and turns every way of ending into an error with a remedy. What
// comes is checked as far as it is relied on: another program may answer in the host's name.
import { FailureError } from "./failure.ts";

export const hostName = "dev.trilane.host";
export const messageSchema = "trilane/message/1";

export type Fields = Readonly<Record<string, unknown>>;

interface Waiting {
  readonly resolve: (answer: Fields) => void;
  readonly reject: (error: FailureError) => void;
  readonly event: ((event: Fields) => void) | null;
  readonly parts: string[];
  readonly timer: ReturnType<typeof setTimeout> | null;
}

interface Conversation {
  readonly port: chrome.runtime.Port;
  readonly waiting: Map<number, Waiting>;
  nextId: number;
  idle: ReturnType<typeof setTimeout> | null;
}

export interface HostAnswers {
  /** Gets each event but parts. */
  readonly event?: (event: Fields) => void;
  /** null: as long as it takes. Default: a minute. */
  readonly timeout_ms?: number | null;
}

const idleClose_ms = 10_000;
const defaultTimeout_ms = 60_000;

let conversation: Conversation | null = null;

/** What the end of a conversation means, from the browser's own words. */
export function endOf(message: string): FailureError {
  if (/not found|no such native application/i.test(message))
    return new FailureError(
      "host-missing",
      "Trilane's helper is not installed for this browser.",
      "Run `cli/trilane install-host` in Trilane's folder, then try again.",
    );
  if (/forbidden/i.test(message))
    return new FailureError(
      "host-missing",
      "Trilane's helper was installed for another extension.",
      "Run `cli/trilane install-host` from the same Trilane as this extension.",
    );
  if (/failed to start|error (while )?launching|does not exist|file at path/i.test(message))
    return new FailureError(
      "host-ended",
      "Trilane's helper could not be started.",
      "Run `npm run setup` and `cli/trilane install-host` in Trilane's folder again.",
    );
  if (/error when communicating/i.test(message)) return garbage("it sent no native message");
  return new FailureError(
    "host-ended",
    "Trilane's helper ended unexpectedly.",
    "Try again; `cli/trilane doctor` shows what is wrong on this machine.",
  );
}

function garbage(what: string): FailureError {
  return new FailureError(
    "host-garbage",
    `Trilane's helper gave a wrong answer: ${what}.`,
    "Run `cli/trilane install-host` again, so that the browser starts the right program.",
  );
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function rest(talk: Conversation): void {
  if (talk.idle !== null) clearTimeout(talk.idle);
  talk.idle = null;
  if (talk.waiting.size > 0) return;
  talk.idle = setTimeout(() => {
    if (conversation === talk) conversation = null;
    talk.port.disconnect();
  }, idleClose_ms);
}

function settle(talk: Conversation, id: number, end: (waiting: Waiting) => void): void {
  const waiting = talk.waiting.get(id);
  if (!waiting) return;
  talk.waiting.delete(id);
  if (waiting.timer !== null) clearTimeout(waiting.timer);
  rest(talk);
  end(waiting);
}

/** Ends the conversation; all that is under way fails for this reason. */
function hangUp(talk: Conversation, error: FailureError): void {
  if (conversation === talk) conversation = null;
  if (talk.idle !== null) clearTimeout(talk.idle);
  talk.port.disconnect();
  for (const id of [...talk.waiting.keys()]) settle(talk, id, ({ reject }) => reject(error));
  if (talk.idle !== null) clearTimeout(talk.idle);
}

function resultOf(answer: Fields, parts: readonly string[]): Fields | FailureError {
  if (answer.parts === undefined) return answer;
  if (answer.parts !== parts.length) return garbage(`of ${String(answer.parts)} parts ${parts.length} came`);
  try {
    return { ...answer, result: JSON.parse(parts.join("")) as unknown };
  } catch {
    return garbage("its parts are not JSON");
  }
}

function refusalOf(error: unknown): FailureError {
  if (!isFields(error)) return garbage("it refuses without a reason");
  const text = (value: unknown, otherwise: string) => (typeof value === "string" && value !== "" ? value : otherwise);
  return new FailureError(
    text(error.code, "failed"),
    text(error.message, "trilane-host refused"),
    text(error.remedy, "see `cli/trilane doctor`"),
  );
}

/** Null where all is well; else why the conversation must end. */
function received(talk: Conversation, message: unknown): FailureError | null {
  if (!isFields(message)) return garbage("a message is not an object");
  const { id } = message;
  // What it could not read it answers without a number; what will never be answered is not known then.
  if (typeof id !== "number") return message.ok === false ? refusalOf(message.error) : garbage("a message has no id");
  const waiting = talk.waiting.get(id);
  // Given up in the meantime.
  if (!waiting) return null;
  if (message.event === "part") {
    if (message.index !== waiting.parts.length || typeof message.data !== "string")
      return garbage("the parts of a document are not in order");
    waiting.parts.push(message.data);
    return null;
  }
  if (message.event !== undefined) {
    waiting.event?.(message);
    return null;
  }
  if (message.ok === true) {
    const answer = resultOf(message, waiting.parts);
    settle(talk, id, ({ resolve, reject }) => (answer instanceof FailureError ? reject(answer) : resolve(answer)));
    return null;
  }
  if (message.ok !== false) return garbage("an answer is neither yes nor no");
  settle(talk, id, ({ reject }) => reject(refusalOf(message.error)));
  return null;
}

function open(): Conversation {
  // Without the permission the browser does not give the function.
  if (typeof chrome.runtime.connectNative !== "function")
    throw new FailureError(
      "host-permission",
      "Trilane does not have permission to talk to its helper yet.",
      "Press Race, and allow it when the browser asks.",
    );
  const talk: Conversation = {
    port: chrome.runtime.connectNative(hostName),
    waiting: new Map(),
    nextId: 1,
    idle: null,
  };
  talk.port.onMessage.addListener((message: unknown) => {
    const error = received(talk, message);
    if (error) hangUp(talk, error);
  });
  talk.port.onDisconnect.addListener((port) => {
    // Firefox says it of the port.
    const error = (port as { readonly error?: { readonly message?: string } | null }).error ?? chrome.runtime.lastError;
    hangUp(talk, endOf(error?.message ?? ""));
  });
  conversation = talk;
  return talk;
}

/** The answer to one message. FailureError where there is none, or it is a refusal. */
export function askHost(type: string, fields: Fields = {}, { event, timeout_ms }: HostAnswers = {}): Promise<Fields> {
  return new Promise((resolve, reject) => {
    let talk: Conversation;
    try {
      talk = conversation ?? open();
    } catch (error) {
      reject(error);
      return;
    }
    const id = talk.nextId++;
    const limit_ms = timeout_ms === undefined ? defaultTimeout_ms : timeout_ms;
    const timer =
      limit_ms === null
        ? null
        : setTimeout(
            () =>
              hangUp(
                talk,
                new FailureError(
                  "host-silent",
                  `Trilane's helper did not answer within ${limit_ms / 1000} s.`,
                  "Try again; `cli/trilane doctor` shows what is wrong on this machine.",
                ),
              ),
            limit_ms,
          );
    talk.waiting.set(id, { resolve, reject, event: event ?? null, parts: [], timer });
    if (talk.idle !== null) clearTimeout(talk.idle);
    talk.idle = null;
    try {
      talk.port.postMessage({ id, type, ...fields });
    } catch {
      // The port closed in the meantime.
      hangUp(talk, endOf(""));
    }
  });
}
