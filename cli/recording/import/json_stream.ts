// JSON read as it comes, value by value, for documents larger than a text may be. Strings of base64 are handed on decoded
// and never whole. The caller says what it expects where; what it does not know it skips.
/** What is wrong with the text. */
export class JsonStreamError extends Error {
  override readonly name = "JsonStreamError";
  readonly cutOff: boolean;

  constructor(message: string, cutOff = false) {
    super(message);
    this.cutOff = cutOff;
  }
}

const deepest = 100;
const longestString_bytes = 1024 * 1024;
const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [objectStart, objectEnd, arrayStart, arrayEnd] = [0x7b, 0x7d, 0x5b, 0x5d];
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

export class JsonStream {
  readonly #chunks: AsyncIterator<Buffer>;
  #chunk: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  #at = 0;
  #before = 0; // bytes of the chunks before
  #depth = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Every key's value must be read, or skipped, by `member`. */
  async object(member: (key: string) => Promise<void>): Promise<void> {
    await this.#expect(objectStart, "an object");
    await this.#list(objectEnd, async () => {
      const key = await this.string();
      await this.#expect(colon, "a colon");
      await member(key);
    });
  }

  /** Every element must be read, or skipped, by `element`. */
  async array(element: (index: number) => Promise<void>): Promise<void> {
    await this.#expect(arrayStart, "an array");
    let index = 0;
    await this.#list(arrayEnd, () => element(index++));
  }

  /** Like object() and array(), for a value that may be null. */
  async nullOr(read: () => Promise<void>): Promise<void> {
    if ((await this.#peek()) === 0x6e) await this.#scalar();
    else await read();
  }

  async string(): Promise<string> {
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of this.#stringParts()) {
      size += part.length;
      if (size > longestString_bytes) throw this.#error(`a string of over ${longestString_bytes} bytes`);
      parts.push(Buffer.from(part));
    }
    return this.#unescaped(Buffer.concat(parts).toString("utf8"));
  }

  /** A string of base64, decoded chunk by chunk. */
  async base64(take: (bytes: Buffer) => Promise<void>): Promise<void> {
    let held = "";
    let ended = false;
    const flush = async (text: string): Promise<void> => {
      if (text === "") return;
      // Four characters are three bytes, and only the last four may be padded.
      if (ended || !/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) throw this.#error("no base64");
      ended = text.endsWith("=");
      await take(Buffer.from(text, "base64"));
    };
    for await (const part of this.#stringParts()) {
      held += part.toString("latin1");
      // An escape may be cut in two.
      const last = held.lastIndexOf("\\");
      const whole = last >= 0 && held.length - last < 6 ? last : held.length;
      let text = held.slice(0, whole);
      if (text.includes("\\")) text = this.#unescaped(text);
      const ready = text.length - (text.length % 4);
      held = text.slice(ready) + held.slice(whole);
      await flush(text.slice(0, ready));
    }
    await flush(this.#unescaped(held));
  }

  /** A number; null for any other scalar. */
  async number(): Promise<number | null> {
    const value = await this.#scalar();
    return typeof value === "number" ? value : null;
  }

  /** Passes over the next value, whatever it is. */
  async skip(): Promise<void> {
    const next = await this.#peek();
    if (next === objectStart) await this.object(() => this.skip());
    else if (next === arrayStart) await this.array(() => this.skip());
    else if (next === quote) for await (const _part of this.#stringParts());
    else await this.#scalar();
  }

  /** Nothing but space may follow. */
  async end(): Promise<void> {
    while (await this.#more()) {
      const byte = this.#chunk[this.#at++] ?? 0;
      if (!isSpace(byte)) throw this.#error("more after the end");
    }
  }

  #error(what: string): JsonStreamError {
    return new JsonStreamError(`${what} at byte ${this.#before + this.#at}`);
  }

  /** Whether there is another byte; reads on. */
  async #more(): Promise<boolean> {
    while (this.#at >= this.#chunk.length) {
      const next = await this.#chunks.next();
      if (next.done) return false;
      this.#before += this.#chunk.length;
      this.#chunk = next.value;
      this.#at = 0;
    }
    return true;
  }

  /** The next byte that is no space, which stays. */
  async #peek(): Promise<number> {
    for (;;) {
      while (this.#at < this.#chunk.length) {
        const byte = this.#chunk[this.#at] ?? 0;
        if (!isSpace(byte)) return byte;
        this.#at++;
      }
      if (!(await this.#more())) throw new JsonStreamError(`cut off after byte ${this.#before + this.#at}`, true);
    }
  }

  async #expect(byte: number, what: string): Promise<void> {
    if ((await this.#peek()) !== byte) throw this.#error(`no ${what.replace(/^an? /, "")}`);
    this.#at++;
  }

  async #list(end: number, each: () => Promise<void>): Promise<void> {
    if (++this.#depth > deepest) throw this.#error("too many levels");
    if ((await this.#peek()) === end) {
      this.#at++;
      this.#depth--;
      return;
    }
    for (;;) {
      await each();
      const next = await this.#peek();
      this.#at++;
      if (next === end) break;
      if (next !== comma) {
        this.#at--;
        throw this.#error("no comma");
      }
    }
    this.#depth--;
  }

  /** The bytes between the quotes, escapes and all. */
  async *#stringParts(): AsyncGenerator<Buffer> {
    await this.#expect(quote, "a string");
    let escaped = false;
    for (;;) {
      if (!(await this.#more())) throw new JsonStreamError(`cut off after byte ${this.#before + this.#at}`, true);
      const start = this.#at;
      if (escaped) {
        this.#at++;
        escaped = false;
        yield this.#chunk.subarray(start, this.#at);
        continue;
      }
      const end = this.#chunk.indexOf(quote, start);
      const escapeAt = this.#chunk.subarray(start, end < 0 ? undefined : end).indexOf(backslash);
      if (escapeAt >= 0) {
        escaped = true;
        this.#at = start + escapeAt + 1;
      } else {
        this.#at = end < 0 ? this.#chunk.length : end + 1;
      }
      const part = this.#chunk.subarray(start, escapeAt < 0 && end >= 0 ? end : this.#at);
      if (part.length > 0) yield part;
      if (escapeAt < 0 && end >= 0) return;
    }
  }

  #unescaped(text: string): string {
    try {
      return JSON.parse(`"${text}"`) as string;
    } catch {
      throw this.#error("a malformed string");
    }
  }

  async #scalar(): Promise<unknown> {
    await this.#peek();
    let text = "";
    scan: while (await this.#more()) {
      while (this.#at < this.#chunk.length) {
        const byte = this.#chunk[this.#at] ?? 0;
        if (isSpace(byte) || byte === comma || byte === objectEnd || byte === arrayEnd) break scan;
        text += String.fromCharCode(byte);
        if (text.length > 100) throw this.#error("no value");
        this.#at++;
      }
    }
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw this.#error("no value");
    }
  }
}
