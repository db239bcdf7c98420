// Whether a recording can be replayed as it was recorded: bodies and digest as they were written, bodies in the
// content-encoding that they name, and what it never had. Reads everything once.
import type { NamedExchange, VerifiedRecording } from "../../../schemas/generated/recordings_verified.ts";
import type { Archive, ArchivedExchange } from "../archive/archive.ts";
import { urlOf } from "../export/recording_source.ts";
import { contentEncoding } from "../fill/content_encoding.ts";
import { checkedEncoding } from "../import/encoding_check.ts";

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

export async function verifyRecording(archive: Archive, name: string): Promise<VerifiedRecording> {
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
