// Sites to record from: real servers (nginx; Caddy for HTTP/3; live_server.ts where set-up must have all) with certificates of a test authority, in a namespace where
// nothing else is. Writes their configuration into a folder; live_site.sh runs them around a command.
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { notInstalled } from "../../cli/install/requirements.ts";

export interface LiveServer {
  /** One certificate has them all. */
  readonly hosts: readonly string[];
  /** One of 203.0.113.0/24 but .53, or a public one of IPv6 (Chromium takes those for documentation for local ones). */
  readonly address: string;
  /** The folder of files that it serves. */
  readonly root: string;
  /** nginx speaks HTTP/1.1 and 2, Caddy HTTP/3 too, node (live_server.ts) HTTP/1.1. */
  readonly program: "nginx" | "caddy" | "node";
  /** Lines for the server's block, in its program's language; node has none. */
  readonly directives?: string;
  /** Adds the authority's certificate to the chain so many times: a long chain. */
  readonly chainLength?: number;
}

export interface LiveSite {
  /** Before the words of a command that is to run where the servers are. */
  readonly words: readonly string[];
  /** The authority's certificate, PEM. */
  readonly authority: string;
}

const script = join(import.meta.dirname, "live_site.sh");

/** Why there can be no site with these servers here, for tests to skip by; false: there can. */
export function noLiveSite(servers: readonly string[]): string | false {
  return notInstalled(["dnsmasq", "openssl", "ip", "ss", ...servers]) ?? false;
}

function openssl(folder: string, ...words: string[]): void {
  execFileSync("openssl", words, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
}

function makeAuthority(folder: string): void {
  openssl(folder, "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "ca.key");
  openssl(folder, "req", "-x509", "-new", "-key", "ca.key", "-days", "30", "-subj", "/CN=Test Root", "-out", "ca.pem");
}

function makeCertificate(folder: string, name: string, { hosts, chainLength = 1 }: LiveServer): void {
  const extensions = `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(",")}\n`;
  writeFileSync(join(folder, `${name}.ext`), extensions);
  openssl(folder, "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", `${name}.key`);
  openssl(folder, "req", "-new", "-key", `${name}.key`, "-subj", `/CN=${hosts[0]}`, "-out", `${name}.csr`);
  const signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "30", "-extfile", `${name}.ext`];
  openssl(folder, "x509", "-req", "-in", `${name}.csr`, ...signing, "-out", `${name}.pem`);
  for (let i = 0; i < chainLength; i++)
    appendFileSync(join(folder, `${name}.pem`), execFileSync("cat", [join(folder, "ca.pem")]));
}

const listenTo = (address: string): string => (address.includes(":") ? `[${address}]` : address);

function nginxServer(name: string, { hosts, address, root, directives = "" }: LiveServer): string {
  return `server {
    listen ${listenTo(address)}:443 ssl http2;
    listen ${listenTo(address)}:80;
    server_name ${hosts.join(" ")};
    ssl_certificate ${name}.pem;
    ssl_certificate_key ${name}.key;
    root ${root};
    ${directives}
  }`;
}

const nginxConfiguration = (servers: readonly string[]): string => `daemon off;
pid nginx.pid;
error_log stderr warn;
worker_processes 1;
events {}
http {
  include /etc/nginx/mime.types;
  access_log access.log;
  client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp; uwsgi_temp_path tmp; scgi_temp_path tmp;
  ssl_protocols TLSv1.2 TLSv1.3;
  gzip on;
  gzip_types text/css text/javascript application/javascript application/json image/svg+xml;
  ${servers.join("\n  ")}
}
`;

function caddySite(folder: string, name: string, { hosts, address, root, directives = "" }: LiveServer): string {
  return `${hosts.map((host) => `https://${host}`).join(", ")} {
  bind ${address}
  tls ${join(folder, `${name}.pem`)} ${join(folder, `${name}.key`)}
  root * ${root}
  encode gzip
  ${directives}
  file_server
}`;
}

/** Writes all that the servers need into `folder`, which must be there. */
export function makeLiveSite(folder: string, servers: readonly LiveServer[]): LiveSite {
  mkdirSync(join(folder, "tmp"), { recursive: true });
  makeAuthority(folder);
  for (const [index, server] of servers.entries()) makeCertificate(folder, `server${index}`, server);
  const named = servers.map((server, index) => ({ server, name: `server${index}` }));
  const ofNginx = named.filter(({ server }) => server.program === "nginx");
  const ofNode = named.filter(({ server }) => server.program === "node");
  if (ofNode.length > 0) {
    const sites = ofNode.map(({ name, server: { address, root } }) => ({ address, root, name }));
    writeFileSync(join(folder, "sites.json"), JSON.stringify(sites));
  }
  const ofCaddy = named.filter(({ server }) => server.program === "caddy");
  if (ofNginx.length > 0) {
    const blocks = ofNginx.map(({ name, server }) => nginxServer(name, server));
    writeFileSync(join(folder, "nginx.conf"), nginxConfiguration(blocks));
  }
  if (ofCaddy.length > 0) {
    const sites = ofCaddy.map(({ name, server }) => caddySite(folder, name, server));
    const options = "{\n  admin off\n  auto_https off\n  storage file_system storage\n}\n";
    writeFileSync(join(folder, "Caddyfile"), `${options}${sites.join("\n")}\n`);
  }
  const addresses = [...new Set(servers.map(({ address }) => address))].map((address) =>
    address.includes(":") ? `${address}/128` : `${address}/32`,
  );
  writeFileSync(join(folder, "addresses"), `${["203.0.113.53/32", ...addresses].join("\n")}\n`);
  writeFileSync(join(folder, "resolv.conf"), "nameserver 203.0.113.53\n");
  const hosts = servers.flatMap(({ hosts: names, address }) => names.map((name) => `${address} ${name}`));
  writeFileSync(join(folder, "hosts"), `${hosts.join("\n")}\n`);
  return {
    words: [
      "env",
      `PATH=${process.env.PATH ?? ""}:/usr/sbin:/sbin`,
      `NODE=${process.execPath}`,
      "bash",
      script,
      folder,
    ],
    authority: join(folder, "ca.pem"),
  };
}

/** Words for a shell: runs what follows beside a server, a script for Node, that listens at 203.0.113.53. */
export function besideServer(server: string, port: number): string {
  const listens = `ss -ltnH "src 203.0.113.53 and sport = :${port}" | grep -q .`;
  const started = `"${process.execPath}" ${server} & until ${listens}; do kill -0 $! || exit 1; sleep 0.05; done`;
  return `${started}; "$@"; status=$?; kill $!; exit $status`;
}
