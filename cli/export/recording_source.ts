// A recording on its way out: its rows, and its bodies as they are wanted. The size of a request's body is in no row, so it
// is found out by reading it.
import type { Archive, ArchivedExchange, RecordingDetail } from "../archive/archive.ts";
import { UserError } from "../errors.ts";

export interface RecordingSource extends RecordingDetail {
  responseBody(exchange: ArchivedExchange): AsyncIterable<Buffer>;
  requestBody(exchange: ArchivedExchange): AsyncIterable<Buffer>;
  requestBody_bytes(exchange: ArchivedExchange): Promise<number>;
}

async function* nothing(): AsyncGenerator<Buffer> {}

/** UserError where there is no such recording, or where a body of it is not as it was written. */
export async function openRecording(archive: Archive, name: string): Promise<RecordingSource> {
  const detail = await archive.show(name);
  const { problems } = await archive.verify(name);
  if (problems.length > 0)
    throw new UserError(
      `recording "${name}": ${problems.length} of its bodies are damaged: see \`trilane recording verify ${name}\``,
    );
  const bodyOf = (sha256: string | null) => (sha256 === null ? nothing() : archive.body(sha256));
  return {
    ...detail,
    responseBody: ({ body_sha256 }) => bodyOf(body_sha256),
    requestBody: ({ request_body_sha256 }) => bodyOf(request_body_sha256),
    async requestBody_bytes({ request_body_sha256 }) {
      let size = 0;
      for await (const piece of bodyOf(request_body_sha256)) size += piece.length;
      return size;
    },
  };
}
