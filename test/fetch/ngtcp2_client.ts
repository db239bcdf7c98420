// ngtcp2's client (GnuTLS, nghttp3) and trilane-fetch before one server of ngtcp2's, behind one link: their times side by side, and the
// bodies that they got. Judges nothing.
import { createHash, randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { programPath } from "../../cli/base/programs.ts";
import type { FetchRecord } from "../../schemas/generated/fetch_record.ts";
import { output } from "../flows/flow_lab.ts";
import { behindLink, onUdp443 } from "../flows/flow_oracles.ts";

export interface Http3Times {
  /** From the first packet sent until the client has the server's whole handshake. */
  readonly connect_ms: number;
  /** Until the response's first packet. */
  readonly first_byte_ms: number;
  readonly download_ms: number;
}

export interface Http3Side {
  readonly times: readonly Http3Times[];
  readonly sha256: readonly string[];
}

interface Frame {
  readonly frame_type: string;
  readonly stream_id?: number;
  readonly fin?: boolean;
}

interface PacketEvent {
  readonly time: number;
  readonly name: string;
  readonly data: { readonly frames?: readonly Frame[]; readonly header?: { readonly packet_type: string } };
}

/** A qlog of ngtcp2's: a record separator before each event. */
export function ngtcp2Times(qlog: string): Http3Times {
  const events = qlog
    .split("\n")
    // Behind a record separator (RFC 7464).
    .map((text) => text.slice(text.indexOf("{")))
    .filter((text) => text.startsWith('{"time"'))
    .map((text) => JSON.parse(text) as PacketEvent);
  const has = ({ data }: PacketEvent, type: string, stream?: number): boolean =>
    (data.frames ?? []).some(
      (frame) => frame.frame_type === type && (stream === undefined || frame.stream_id === stream),
    );
  const sent = events.filter(({ name }) => name === "transport:packet_sent");
  const received = events.filter(({ name }) => name === "transport:packet_received");
  const finished = sent.find((event) => event.data.header?.packet_type === "handshake" && has(event, "crypto"));
  const body = received.filter((event) => has(event, "stream", 0));
  const [begun, first, last] = [sent[0], body[0], body.at(-1)];
  if (!begun || !finished || !first || !last) throw new Error("the qlog of ngtcp2's client lacks a step");
  const since = (event: PacketEvent): number => event.time - begun.time;
  return { connect_ms: since(finished), first_byte_ms: since(first), download_ms: since(last) };
}

const url = "https://far.trilane/body";

/** So many of each, taking turns. `folder` is not there yet. */
export async function besideNgtcp2(
  folder: string,
  link: string,
  { size_bytes, runs }: { readonly size_bytes: number; readonly runs: number },
): Promise<{ readonly ours: Http3Side; readonly theirs: Http3Side; readonly sha256: string }> {
  await mkdir(folder);
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  await output(["openssl", ...words, "-keyout", key, "-out", certificate, "-subj", "/CN=far.trilane"]);
  const body = randomBytes(size_bytes);
  await writeFile(join(folder, "body"), body);
  const quiet = "-q --no-quic-dump --no-http-dump";
  const server = `gtlsserver ${quiet} -d ${folder} 100.64.0.1 443 ${key} ${certificate} >/dev/null 2>&1`;
  const windows = "--max-data=64M --max-stream-data-bidi-local=64M";
  const client = (run: number): string =>
    `mkdir ${folder}/${run}; gtlsclient ${quiet} --exit-on-all-streams-close ${windows} --download=${folder}/${run} --qlog-file=${folder}/${run}.sqlog 100.64.0.1 443 ${url} >/dev/null 2>&1; sha256sum ${folder}/${run}/body`;
  const own = `${programPath("trilane-fetch")} --lane h3 --connect 100.64.0.1 --insecure --no-https-record ${url}`;
  const turns = Array.from({ length: runs }, (_, run) => `${own}; ${client(run)}`);
  const printed = await behindLink(link, server, turns.join("; "), onUdp443);
  const lines = printed.split("\n");
  const records = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as FetchRecord);
  const failed = records.find(({ error }) => error !== null);
  if (failed) throw new Error(`${failed.error?.stage}: ${failed.error?.reason}`);
  const qlogs = await Promise.all(
    Array.from({ length: runs }, (_, run) => readFile(join(folder, `${run}.sqlog`), "utf8")),
  );
  return {
    ours: {
      times: records.map(({ connect_ms, first_byte_ms, download_ms }) => ({
        connect_ms: connect_ms ?? Number.NaN,
        first_byte_ms: first_byte_ms ?? Number.NaN,
        download_ms: download_ms ?? Number.NaN,
      })),
      sha256: records.map(({ body_sha256 }) => body_sha256 ?? ""),
    },
    theirs: {
      times: qlogs.map(ngtcp2Times),
      sha256: lines.filter((line) => /^[0-9a-f]{64} /.test(line)).map((line) => line.slice(0, 64)),
    },
    sha256: createHash("sha256").update(body).digest("hex"),
  };
}
