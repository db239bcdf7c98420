// An archive that keeps what is written in memory and holds each exchange against the schema, for tests of importers.
import assert from "node:assert/strict";
import type {
  Archive,
  Exchange,
  NewBody,
  NewExchange,
  NewRecording,
  Recording,
} from "../../../../cli/recording/archive/archive.ts";
import { schemaErrors } from "../../../schemas/schema_errors.ts";

export interface Written {
  readonly exchange: Exchange;
  readonly body: Buffer;
  readonly requestBody: Buffer;
}

async function bytesOf(body: NewBody | undefined): Promise<Buffer> {
  if (!body) return Buffer.alloc(0);
  assert.ok(!("sha256" in body), "an importer names no stored body");
  if (body instanceof Uint8Array) return Buffer.from(body);
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

/** Its `write` fills `written` and `about`, and fails where the schemas refuse an exchange. */
export class MemoryArchive implements Archive {
  readonly home = "/nonexistent";
  written: Written[] = [];
  about: NewRecording | undefined;
  notes: unknown;

  async write(about: NewRecording, fill: Parameters<Archive["write"]>[1]): Promise<Recording> {
    this.about = about;
    await fill({
      add: (exchange) => this.#add(exchange),
      note: (notes) => {
        this.notes = notes;
      },
    });
    const { name, url, source, recorded_at = null, notes } = about;
    const counts = { exchanges: this.written.length, hosts: 0, addresses: 0, body_bytes: 0, filled: 0 };
    const stored = { recorded_at, created_at: "2025-03-03T10:00:00Z", digest: "" };
    return { id: 1, name, url, source, notes, ...stored, ...counts };
  }

  async #add({ exchange, body, requestBody }: NewExchange<NewBody>): Promise<void> {
    const written = { exchange, body: await bytesOf(body), requestBody: await bytesOf(requestBody) };
    const where = `${exchange.method} ${exchange.host}${exchange.path}`;
    const plain: unknown = JSON.parse(JSON.stringify(exchange));
    assert.equal(schemaErrors("message", plain, "exchange"), null, where);
    const recorded: unknown = JSON.parse(JSON.stringify(exchange.recorded));
    assert.equal(schemaErrors("recorded", recorded), null, where);
    this.written.push(written);
  }

  list(): never {
    throw new Error("not asked for");
  }
  show(): never {
    throw new Error("not asked for");
  }
  verify(): never {
    throw new Error("not asked for");
  }
  body(): never {
    throw new Error("not asked for");
  }
  remove(): never {
    throw new Error("not asked for");
  }
}
