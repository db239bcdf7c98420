// The archive of recordings over trilane-host: the one implementation of archive.ts. Holds no recording in memory.
import { RunError, UserError } from "../../base/errors.ts";
import { middleCut } from "../../base/middle_cut.ts";
import { programPath } from "../../base/programs.ts";
import type {
  Archive,
  ArchivedExchange,
  BodyProblem,
  Exchange,
  JsonObject,
  NewBody,
  NewExchange,
  NewRecording,
  Recording,
  RecordingDetail,
  RecordingWriter,
  Verification,
} from "./archive.ts";
import { type Answer, HostConversation } from "./host.ts";

// Far below what a message may have (64 MiB), so that neither side holds much more than one piece.
const pieceSize_bytes = 256 * 1024;

// A recording that is replaced in the midst of a reading is read anew. So often in a row it happens only beside a writer
// that never rests.
const readings = 10;

// As `name` in schemas/message.schema.json; checked here too, because a name is what a user typed.
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

// Only what an exchange has: a caller may pass one that it was shown, with seq and hashes.
function exchangeFields(exchange: Exchange, hasBody: boolean): Exchange {
  return {
    method: exchange.method,
    scheme: exchange.scheme,
    host: exchange.host,
    port: exchange.port,
    path: exchange.path,
    request_headers: exchange.request_headers,
    address: exchange.address,
    status: exchange.status,
    response_headers: exchange.response_headers,
    body_origin: hasBody ? exchange.body_origin : "empty",
    recorded: exchange.recorded,
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** The same bytes in pieces of at most `pieceSize_bytes`, all but the last of just that. */
async function* pieces(body: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let waiting_bytes = 0;
  const chunks = body instanceof Uint8Array ? [body] : body;
  for await (const chunk of chunks) {
    let start = 0;
    while (waiting_bytes + chunk.byteLength - start >= pieceSize_bytes) {
      const end = start + pieceSize_bytes - waiting_bytes;
      const part = chunk.subarray(start, end);
      yield waiting.length > 0 ? Buffer.concat([...waiting, part]) : part;
      waiting = [];
      waiting_bytes = 0;
      start = end;
    }
    if (start === chunk.byteLength) continue;
    // A copy: the chunk is its maker's again when the next one is requested.
    waiting.push(Buffer.from(chunk.subarray(start)));
    waiting_bytes += chunk.byteLength - start;
  }
  if (waiting_bytes > 0) yield Buffer.concat(waiting);
}

// Exchanges on their way to the host, so that neither side waits for its turn with each; and what of them the host has yet to read.
const mostUnanswered = 16;
const mostUnread_bytes = 1024 * 1024;

class HostWriter implements RecordingWriter {
  readonly #host: HostConversation;
  readonly #transaction: number;
  readonly #unanswered: Promise<unknown>[] = [];
  #nextUpload = 0;
  #last: Promise<unknown> = Promise.resolve();
  #notes: JsonObject | undefined;

  constructor(host: HostConversation, transaction: number) {
    this.#host = host;
    this.#transaction = transaction;
  }

  add(exchange: NewExchange<NewBody>): Promise<void> {
    // One after the other, in the order of the calls, also when a caller does not wait.
    const added = this.#last.then(() => this.#add(exchange));
    this.#last = added;
    added.catch(() => {}); // reported to the caller, and to the commit
    return added;
  }

  note(notes: JsonObject): void {
    this.#notes = notes;
  }

  /** When all exchanges are in: what the commit is to say. Rejects where one of them failed. */
  async finish(): Promise<Readonly<Record<string, unknown>>> {
    await this.#last;
    await Promise.all(this.#unanswered);
    return { transaction: this.#transaction, ...(this.#notes ? { notes: this.#notes } : {}) };
  }

  async #add({ exchange, body, requestBody }: NewExchange<NewBody>): Promise<void> {
    const bodyFields = await this.#bodyFields("body", body);
    const requestFields = await this.#bodyFields("request_body", requestBody);
    const fields = { exchange: exchangeFields(exchange, bodyFields !== null), ...bodyFields, ...requestFields };
    const message = { transaction: this.#transaction, ...fields };
    const answered = this.#host.send("archive.exchange", message).catch((error: unknown) => {
      // The host takes no message of that size, and cannot say whose it was.
      if (!(error instanceof UserError && error.message.startsWith("message: "))) throw error;
      const url = middleCut(`${exchange.scheme}://${exchange.host}${exchange.path}`, 100);
      throw new UserError(`${url}: its URL, headers and notes take more than 8 MB: take the request out of the file`);
    });
    answered.catch(() => {}); // reported to who adds the next, or to the commit
    this.#unanswered.push(answered);
    // What is unread may be another writer's.
    while (
      this.#unanswered.length > mostUnanswered ||
      (this.#unanswered.length > 0 && this.#host.unread_bytes > mostUnread_bytes)
    )
      await this.#unanswered.shift();
  }

  // A small body goes with its exchange, a large one in pieces before it. null: it has no bytes.
  async #bodyFields(name: string, body: NewBody | undefined): Promise<Readonly<Record<string, unknown>> | null> {
    if (!body) return null;
    if ("sha256" in body) return { [`${name}_sha256`]: body.sha256 };
    const upload = this.#nextUpload++;
    let first: Uint8Array | null = null;
    let count = 0;
    const send = (data: Uint8Array): Promise<unknown> =>
      this.#host.send("archive.body", { transaction: this.#transaction, upload, data: base64(data) });
    for await (const piece of pieces(body)) {
      count++;
      // Kept until it is known whether there is another: as a copy, for the same reason.
      if (count === 1) {
        first = body instanceof Uint8Array ? piece : Buffer.from(piece);
        continue;
      }
      if (first) await send(first);
      first = null;
      await send(piece);
    }
    if (first) return { [name]: base64(first) };
    return count === 0 ? null : { [`${name}_upload`]: upload };
  }
}

// By its id alone but in archives that were made when ids were given again: there one that is removed and stored anew may
// have the same.
const isSame = (a: Recording, b: Recording): boolean =>
  a.id === b.id && a.digest === b.digest && a.created_at === b.created_at;

class HostArchive implements Archive {
  readonly home: string;
  readonly #host: HostConversation;

  constructor(host: HostConversation, home: string) {
    this.#host = host;
    this.home = home;
  }

  async list(): Promise<Recording[]> {
    const recordings: Recording[] = [];
    for (let after: string | null = ""; after !== null; ) {
      const answer = await this.#host.send("archive.list", { after });
      recordings.push(...(answer.recordings as Recording[]));
      after = answer.next as string | null;
    }
    return recordings;
  }

  async show(name: string): Promise<RecordingDetail> {
    const { recording, pages } = await this.#about(name, ["archive.show"]);
    return { recording, exchanges: pages.flatMap((page) => page.exchanges as ArchivedExchange[]) };
  }

  async verify(name: string): Promise<Verification> {
    const { recording, pages } = await this.#about(name, ["archive.show", "archive.verify"]);
    return {
      recording,
      exchanges: pages.flatMap((page) => (page.exchanges ?? []) as ArchivedExchange[]),
      digest_matches: pages.some((page) => page.digest_matches === true),
      problems: pages.flatMap((page) => (page.problems ?? []) as BodyProblem[]),
    };
  }

  /** The pages of the answers to these messages, all of one and the same recording. */
  async #about(name: string, types: readonly string[]): Promise<{ recording: Recording; pages: Answer[] }> {
    for (let reading = 0; reading < readings; reading++) {
      const pages: Answer[] = [];
      let first: Recording | undefined;
      let isReplaced = false;
      for await (const page of this.#pages(name, types)) {
        const recording = page.recording as Recording;
        first ??= recording;
        isReplaced = !isSame(recording, first);
        if (isReplaced) break;
        pages.push(page);
      }
      if (first && !isReplaced) return { recording: first, pages };
    }
    throw new RunError(`recording "${name}": is replaced again and again while it is read: try again when it is not`);
  }

  async *#pages(name: string, types: readonly string[]): AsyncGenerator<Answer> {
    for (const type of types)
      for (let from: unknown = 0; from !== null; ) {
        const page = await this.#host.send(type, { name, from });
        yield page;
        from = page.next;
      }
  }

  async *body(sha256: string): AsyncGenerator<Buffer> {
    for (let from: number | null = 0; from !== null; ) {
      const answer = await this.#host.send("archive.read", { sha256, from });
      const data = Buffer.from(answer.data as string, "base64");
      if (data.length > 0) yield data;
      from = answer.next as number | null;
    }
  }

  async remove(name: string): Promise<void> {
    await this.#host.send("archive.remove", { name });
  }

  async write(recording: NewRecording, fill: (writer: RecordingWriter) => Promise<void>): Promise<Recording> {
    const { name, recorded_at, ...rest } = recording;
    if (!namePattern.test(name))
      throw new UserError(
        `recording name ${JSON.stringify(name)}: must be 1 to 100 of A-Z a-z 0-9 . _ -, the first a letter or digit: choose another`,
      );
    const date = (recorded_at ?? null) === null ? {} : { recorded_at };
    const { transaction } = await this.#host.send("archive.begin", { name, ...rest, ...date });
    const writer = new HostWriter(this.#host, transaction as number);
    let commit: Readonly<Record<string, unknown>>;
    try {
      await fill(writer);
      commit = await writer.finish();
    } catch (error) {
      // Where the host has gone too, the transaction went with it.
      await this.#host.send("archive.abort", { transaction }).catch(() => {});
      throw error;
    }
    const answer = await this.#host.send("archive.commit", commit);
    return answer.recording as Recording;
  }
}

/**
 * Opens the archive of the data folder `home` for as long as `use` runs. Makes nothing on disk until a recording is
 * written. When it resolves or rejects, trilane-host has gone.
 */
export async function withArchive<Result>(
  home: string,
  use: (archive: Archive) => Promise<Result>,
  program: string = programPath("trilane-host"),
): Promise<Result> {
  const host = new HostConversation(program, ["--home", home]);
  try {
    return await use(new HostArchive(host, home));
  } finally {
    await host.end();
  }
}
