// trilane-fetch against servers that are not ours, on loopback: each lane that they speak gives the file, byte for byte; one that they
// do not speak gives a row that says so. A server that is not installed is skipped by its name.
// Wide: native-host/fetch.
// Beside others: it holds nothing to time.
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { programPath } from "../../cli/base/programs.ts";
import { notInstalled } from "../../cli/install/requirements.ts";
import type { FetchRecord } from "../../schemas/generated/fetch_record.ts";
import { output } from "../flows/flow_lab.ts";
import { tempFolder } from "../temp_folder.ts";

const folder = tempFolder("trilane-fetch-servers-");
chmodSync(folder, 0o755); // h2o, started by root, serves as nobody
const host = "shop.test";
const root = join(folder, "root");
const file = randomBytes(300_000);
const digest = createHash("sha256").update(file).digest("hex");
const [certificate, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];

function makeFiles(): void {
  mkdirSync(join(root, "tmp"), { recursive: true });
  writeFileSync(join(root, "file.bin"), file);
  const words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"];
  const names = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
  execFileSync("openssl", [...words, ...names, "-keyout", key, "-out", certificate], { stdio: "pipe" });
}
makeFiles();

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  assert.ok(address !== null && typeof address === "object");
  return address.port;
}

interface Server {
  readonly program: string;
  /** The words that start it in the foreground; writes its configuration. */
  readonly command: (port: number) => string[];
  /** `lane` or `lane 1.2`. */
  readonly speaks: readonly string[];
  /** And what the row says of those that it does not speak. */
  readonly lacks: Readonly<Record<string, RegExp>>;
}

function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const servers: readonly Server[] = [
  {
    program: "nginx",
    command: (port) => {
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (name) => `${name}_temp_path ${root}/tmp;`,
      );
      const block = `listen 127.0.0.1:${port} ssl http2; ssl_certificate ${certificate}; ssl_certificate_key ${key}; root ${root};`;
      const http = `${temporary.join(" ")} access_log off; ssl_protocols TLSv1.2 TLSv1.3; ssl_early_data on; server { ${block} }`;
      const text = `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr error; events {} http { ${http} }\n`;
      return ["/usr/sbin/nginx", "-e", "stderr", "-c", written("nginx.conf", text)];
    },
    speaks: ["h1", "h1 1.2", "h2", "h2 1.2", "h2-0rtt"],
    lacks: { h3: /^connect: Connection refused$/ },
  },
  {
    program: "caddy",
    command: (port) => {
      const global = `{\n  admin off\n  auto_https off\n  storage file_system ${folder}/caddy\n}\n`;
      const site = `https://${host}:${port} {\n  bind 127.0.0.1\n  tls ${certificate} ${key}\n  root * ${root}\n  file_server\n}\n`;
      return ["caddy", "run", "--adapter", "caddyfile", "--config", written("Caddyfile", global + site)];
    },
    speaks: ["h1", "h1 1.2", "h2", "h2 1.2", "h3"],
    lacks: {},
  },
  {
    program: "h2o",
    command: (port) => {
      const ssl = `      certificate-file: ${certificate}\n      key-file: ${key}\n`;
      const listen = `  host: 127.0.0.1\n  port: ${port}\n  ssl:\n${ssl.replaceAll("      ", "    ")}`;
      const paths = `    paths:\n      "/":\n        file.dir: ${root}\n`;
      const text = `num-threads: 1\nlisten:\n${listen}hosts:\n  "${host}:${port}":\n${paths}`;
      return ["h2o", "-m", "worker", "-c", written("h2o.yaml", text)];
    },
    speaks: ["h1", "h1 1.2", "h2", "h2 1.2"],
    lacks: { h3: /^connect: Connection refused$/ },
  },
];

async function fetched(port: number, lane: string): Promise<FetchRecord> {
  const [name = "", tls = "1.3"] = lane.split(" ");
  const words = [
    "--lane",
    name,
    "--tls",
    tls,
    "--ca",
    certificate,
    "--connect",
    `127.0.0.1:${port}`,
    "--timeout",
    "20",
  ];
  const line = await output([programPath("trilane-fetch"), ...words, `https://${host}:${port}/file.bin`]);
  return JSON.parse(line) as FetchRecord;
}

const said = ({ error }: FetchRecord): string => (error ? `${error.stage}: ${error.reason}` : "no error");

async function start({ command }: Server, port: number): Promise<ChildProcess> {
  const [program = "", ...words] = command(port);
  const env = { ...process.env, HOME: folder };
  const server = spawn(program, words, { stdio: "ignore", env });
  for (let tries = 0; said(await fetched(port, "h1 1.2")) === "connect: Connection refused"; tries++) {
    assert.ok(tries < 200 && server.exitCode === null, `${program} listens`);
    await delay(50);
  }
  return server;
}

for (const server of servers)
  test(`each lane that ${server.program} speaks gives the file`, {
    skip: notInstalled([server.program]) ?? false,
  }, async () => {
    const port = await freePort();
    const running = await start(server, port);
    try {
      for (const lane of server.speaks) {
        const record = await fetched(port, lane);
        assert.equal(said(record), "no error", lane);
        assert.deepEqual([record.status, record.body_bytes, record.body_sha256], [200, file.length, digest], lane);
        assert.equal(record.tls_version, lane.endsWith("1.2") ? "1.2" : "1.3", lane);
        if (lane === "h2-0rtt")
          assert.deepEqual([record.resumed, record.early_data], [true, "accepted"], record.unavailable.early_data);
      }
      for (const [lane, reason] of Object.entries(server.lacks)) assert.match(said(await fetched(port, lane)), reason);
    } finally {
      running.kill("SIGKILL");
      await once(running, "exit");
    }
  });
