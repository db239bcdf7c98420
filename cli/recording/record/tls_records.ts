// A server's TLS records, from the bytes that came over a connection: how large they are while it is young, and how long
// each took to come. A browser can use a record only when all of it has come: one that is larger than the initial window
// costs a round trip, which is not the server's own time. Reads the records' heads and opens none.

const head_bytes = 5;
const applicationData = 23;
/** A tag, and in TLS 1.3 the type: what a record has beside its plaintext. */
const overhead_bytes = 17;
const mostPlaintext_bytes = 16_384;
/** Servers that begin with small records keep to them for longer than this. */
const young_bytes = 16 * 1024;
/** A smaller one was all that there was to send, and says nothing of how large they may be. */
const telling_bytes = 1024;
/** How far apart the log's and the page's times of one moment may be: whole milliseconds, and the browser's own work. */
const before_ms = 5;
const after_ms = 2;

interface SlowRecord {
  readonly begin_ms: number;
  readonly end_ms: number;
}

/** The records of one connection, in the order they came. */
export class TlsRecords {
  #head = Buffer.alloc(0);
  #missing_bytes = 0;
  #begin_ms = 0;
  #handshakeEnded = false;
  /** Of application data after the handshake. */
  #seen_bytes = 0;
  #largest_bytes = 0;
  readonly #slow: SlowRecord[] = [];

  /** TLS 1.3 has its handshake in records of the same type; those that begin later are the lane's. */
  endHandshake(): void {
    this.#handshakeEnded = true;
  }

  /** What came at a time, on the clock of the log. */
  take(bytes: Buffer, time_ms: number): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#missing_bytes > 0) {
        const part_bytes = Math.min(this.#missing_bytes, bytes.length - at);
        at += part_bytes;
        this.#missing_bytes -= part_bytes;
        if (this.#missing_bytes === 0 && time_ms > this.#begin_ms)
          this.#slow.push({ begin_ms: this.#begin_ms, end_ms: time_ms });
        continue;
      }
      if (this.#head.length === 0) this.#begin_ms = time_ms;
      const part = bytes.subarray(at, at + head_bytes - this.#head.length);
      this.#head = Buffer.concat([this.#head, part]);
      at += part.length;
      if (this.#head.length === head_bytes) this.#begin();
    }
  }

  #begin(): void {
    const type = this.#head.readUInt8(0);
    const size_bytes = this.#head.readUInt16BE(3);
    this.#head = Buffer.alloc(0);
    this.#missing_bytes = size_bytes;
    if (type !== applicationData || !this.#handshakeEnded || this.#seen_bytes >= young_bytes) return;
    this.#seen_bytes += size_bytes;
    this.#largest_bytes = Math.max(this.#largest_bytes, Math.min(mostPlaintext_bytes, size_bytes - overhead_bytes));
  }

  /** The plaintext of the largest one while the connection was young; null: nothing large enough came to tell. */
  get youngRecord_bytes(): number | null {
    return this.#largest_bytes >= telling_bytes ? this.#largest_bytes : null;
  }

  /** How long what was read at a time had been on its way, from its record's first byte to the last. */
  wait_ms(read_ms: number): number {
    const record = this.#slow.findLast(({ end_ms }) => end_ms <= read_ms + after_ms);
    return record && record.end_ms >= read_ms - before_ms ? record.end_ms - record.begin_ms : 0;
  }
}
