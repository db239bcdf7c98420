// A site of this process on https://localhost, over HTTP/2 and HTTP/1.1, with a certificate of its own, for tests that record
// what a server does and nginx cannot. Counts its requests.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { join } from "node:path";

export type Answer = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

export interface LocalSite {
  /** "https://localhost:12345". */
  readonly origin: string;
  /** The file to trust. */
  readonly certificate: string;
  /** How often each path was asked for. */
  readonly requests: Map<string, number>;
  close(): void;
}

/** All of a body, as fast as its reader takes it. */
export function sendAll(response: Http2ServerResponse, body: Buffer, headers: Record<string, string>): void {
  const piece_bytes = 64 * 1024;
  let at = 0;
  response.writeHead(200, headers);
  const go = (): void => {
    while (at < body.length) {
      const piece = body.subarray(at, at + piece_bytes);
      at += piece_bytes;
      if (response.write(piece)) continue;
      response.once("drain", go);
      return;
    }
    response.end();
  };
  response.on("close", () => {
    at = Number.POSITIVE_INFINITY;
  });
  go();
}

/** `folder`: an empty one, for its key. */
export async function openLocalSite(folder: string, answer: Answer): Promise<LocalSite> {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const files = ["-keyout", key, "-out", certificate];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...subject, ...files], {
    stdio: "ignore",
  });
  const requests = new Map<string, number>();
  const server = createSecureServer({
    ...{ key: readFileSync(key), cert: readFileSync(certificate), allowHTTP1: true },
    // In megabytes: bodies wait in it.
    maxSessionMemory: 4000,
  });
  server.on("request", (request, response) => {
    requests.set(request.url, (requests.get(request.url) ?? 0) + 1);
    answer(request, response);
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { origin: `https://localhost:${port}`, certificate, requests, close: () => void server.close() };
}
