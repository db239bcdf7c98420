// Whether a recording can be replayed as it was recorded: bodies and digest as they were written, bodies in the
// content-encoding that they name, and what it never had. Reads everything once.
import type { Archive, ArchivedExchange, BodyProblem, Recording } from "../archive/archive.ts";
import { urlOf } from "../export/recording_source.ts";
import { contentEncoding } from "../fill/content_encoding.ts";
import { checkedEncoding } from "../import/encoding_check.ts";

export interface NamedExchange {
  readonly seq: number;
  readonly url: string;
}

export interface RecordingVerified {
  readonly recording: Recording;
  readonly digest_matches: boolean;
  readonly damaged: readonly (BodyProblem & { readonly url: string })[];
  /** Not in the content-encoding that their header names: a browser will refuse them. */
  readonly misencoded: readonly NamedExchange[];
  /** Made up, because the source did not have them. */
  readonly filled: readonly NamedExchange[];
  /** The source had only their beginning. */
  readonly cut_off: readonly NamedExchange[];
  /** How many response headers no lane sends: of one connection, which h2 and h3 forbid, or illegal in HTTP. */
  readonly unsent_headers: number;
  /** What the recording's start URL is answered with, in order. */
  readonly documents: readonly number[];
}

async function isMisencoded(archive: Archive, { body_sha256, response_headers }: ArchivedExchange): Promise<boolean> {
  const encoding = contentEncoding(response_headers.find(([name]) => name === "content-encoding")?.[1]);
  if (!encoding || body_sha256 === null) return false;
  let encoded = true;
  const chunks = checkedEncoding(archive.body(body_sha256) as AsyncIterable<Buffer>, encoding, (is) => {
    encoded = is;
  });
  for await (const _chunk of chunks);
  return !encoded;
}

const named = (exchange: ArchivedExchange): NamedExchange => ({ seq: exchange.seq, url: urlOf(exchange) });

export async function verifyRecording(archive: Archive, name: string): Promise<RecordingVerified> {
  const { recording, exchanges, digest_matches, problems } = await archive.verify(name);
  const damagedBodies = new Set(problems.map(({ sha256 }) => sha256));
  const urls = new Map(exchanges.map((exchange) => [exchange.seq, urlOf(exchange)]));
  const misencoded: NamedExchange[] = [];
  for (const exchange of exchanges)
    if (!damagedBodies.has(exchange.body_sha256) && (await isMisencoded(archive, exchange)))
      misencoded.push(named(exchange));
  const start = URL.parse(recording.url)?.href;
  return {
    recording,
    digest_matches,
    damaged: problems.map((problem) => ({ ...problem, url: urls.get(problem.seq) ?? "" })),
    misencoded,
    filled: exchanges.filter(({ body_origin }) => body_origin === "filled").map(named),
    cut_off: exchanges.filter(({ recorded }) => recorded.cut_off === true).map(named),
    unsent_headers: exchanges
      .map(({ recorded }) => (Array.isArray(recorded.unsent_headers) ? recorded.unsent_headers.length : 0))
      .reduce((sum, amount) => sum + amount, 0),
    documents: exchanges
      .filter((exchange) => exchange.method === "GET" && URL.parse(urlOf(exchange))?.href === start)
      .map(({ status }) => status),
  };
}
