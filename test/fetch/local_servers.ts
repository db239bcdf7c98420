// Servers on loopback for `trilane fetch`: one that answers well, and those that do what servers should not. Certificates are made with
// openssl, trusted by a file. Judges nothing.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { tempFolder } from "../temp_folder.ts";

export interface Certificate {
  readonly key: string;
  readonly certificate: string;
}

/** For localhost, vouched for by itself. `days`: from now; below 0 it has expired. */
export function makeCertificate(folder: string, name: string, days: number): Certificate {
  const [key, request, certificate] = ["key", "csr", "pem"].map((ending) => join(folder, `${name}.${ending}`)) as [
    string,
    string,
    string,
  ];
  const make = ["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  execFileSync("openssl", [...make, ...names, "-keyout", key, "-out", request], { stdio: "pipe" });
  const sign = ["x509", "-req", "-in", request, "-signkey", key, "-days", String(days), "-copy_extensions", "copy"];
  execFileSync("openssl", [...sign, "-out", certificate], { stdio: "pipe" });
  return { key, certificate };
}

const textsOf = ({ key, certificate }: Certificate) => ({ key: readFileSync(key), cert: readFileSync(certificate) });

export interface LocalServers {
  /** Trusts all of them. */
  readonly ca: string;
  /** https://localhost:PORT of the one of that name. */
  readonly url: Readonly<Record<ServerName, string>>;
  /** How many requests the good one has had. */
  requests(): number;
  close(): Promise<void>;
}

export type ServerName = "good" | "silent" | "expired" | "lies" | "endless" | "redirects" | "resets";

/** A name that is never registered (RFC 6761). */
export const unresolvable = "https://nowhere.invalid/";
/** Of no service. */
export const refused = "https://localhost:1/";

async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `https://localhost:${address.port}`;
}

/** Answers the first that it hears. */
const answering = (certificate: Certificate, answer: (socket: Socket) => void): Server =>
  createTlsServer(textsOf(certificate), (socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => answer(socket));
  });

/** `body`: of /N of the good server. */
export async function startServers(body: (path: string) => string): Promise<LocalServers> {
  const folder = tempFolder("trilane-local-servers-");
  const valid = makeCertificate(folder, "valid", 30);
  const expired = makeCertificate(folder, "expired", -1);
  const ca = valid.certificate;
  let requests = 0;
  const answer = (request: { url?: string | undefined }): string => {
    requests += 1;
    return body(request.url ?? "/");
  };
  const sockets = new Set<Socket>();
  const servers: Record<ServerName, Server> = {
    good: createHttpsServer(textsOf(valid), (request, response) => response.end(answer(request))),
    silent: createTcpServer(() => undefined),
    expired: createHttpsServer(textsOf(expired), (_, response) => response.end("x")),
    lies: answering(valid, (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort")),
    endless: answering(valid, (socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n");
      const timer = setInterval(() => socket.write("x"), 100);
      socket.once("close", () => clearInterval(timer));
    }),
    redirects: createHttpsServer(textsOf(valid), (request, response) => {
      response.writeHead(302, { location: `${request.url}x` }).end();
    }),
    resets: answering(valid, (socket) => socket.destroy()),
  };
  for (const server of Object.values(servers))
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => sockets.delete(socket));
    });
  const urls = await Promise.all(
    Object.entries(servers).map(async ([name, server]) => [name, await listening(server)] as const),
  );
  return {
    ca,
    url: Object.fromEntries(urls) as Record<ServerName, string>,
    requests: () => requests,
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(Object.values(servers).map((server) => new Promise((done) => server.close(done))));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
