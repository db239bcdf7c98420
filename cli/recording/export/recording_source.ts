// A recording on its way out: its rows, and its bodies as they are wanted. The size of a request's body is in no row, so it
// is found out by reading it.
import { urlWithoutCredentials } from "../../../extension/capture/url_without_credentials.ts";
import { redactedValue, type Side } from "../../../extension/har/redact.ts";
import { UserError } from "../../base/errors.ts";
import type { Archive, ArchivedExchange, Header, JsonObject, RecordingDetail } from "../archive/archive.ts";

export interface RecordingSource extends RecordingDetail {
  responseBody(exchange: ArchivedExchange): AsyncIterable<Buffer>;
  requestBody(exchange: ArchivedExchange): AsyncIterable<Buffer>;
  requestBody_bytes(exchange: ArchivedExchange): Promise<number>;
}

const redacted = (headers: readonly Header[], side: Side): Header[] =>
  headers.map(([name, value]) => [name, redactedValue(name, value, side)]);

const isHeaders = (value: unknown): value is Header[] =>
  Array.isArray(value) && value.every((each) => Array.isArray(each) && each.length === 2);

interface Hint {
  readonly headers: Header[];
}

const isHint = (value: unknown): value is Hint =>
  typeof value === "object" && value !== null && "headers" in value && isHeaders(value.headers);

/** The 103 responses that came before it (Early Hints). */
export const hintsOf = ({ recorded: { early_hints } }: ArchivedExchange): readonly Hint[] =>
  Array.isArray(early_hints) ? (early_hints as readonly unknown[]).filter(isHint) : [];

/** Without the values of credentials, also among the headers that no lane sends. */
function withoutCredentials(exchange: ArchivedExchange): ArchivedExchange {
  const { unsent_headers, trailers } = exchange.recorded;
  const hints = hintsOf(exchange).map((hint) => ({ ...hint, headers: redacted(hint.headers, "response") }));
  const recorded: JsonObject = {
    ...exchange.recorded,
    ...(isHeaders(unsent_headers) ? { unsent_headers: redacted(unsent_headers, "response") } : {}),
    ...(hints.length > 0 ? { early_hints: hints } : {}),
    ...(isHeaders(trailers) ? { trailers: redacted(trailers, "response") } : {}),
  };
  return {
    ...exchange,
    request_headers: redacted(exchange.request_headers, "request"),
    response_headers: redacted(exchange.response_headers, "response"),
    recorded,
  };
}

async function* nothing(): AsyncGenerator<Buffer> {}

/** UserError where there is no such recording, or where a body of it is not as it was written. */
export async function openRecording(
  archive: Archive,
  name: string,
  keepCredentials: boolean,
): Promise<RecordingSource> {
  const { problems, recording, exchanges } = await archive.verify(name);
  const detail = keepCredentials
    ? { recording, exchanges }
    : {
        recording: { ...recording, url: urlWithoutCredentials(recording.url) },
        exchanges: exchanges.map(withoutCredentials),
      };
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
