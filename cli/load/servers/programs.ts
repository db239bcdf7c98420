// Servers that people run, as far as this machine has them: where the program is, its version and build, the lanes that it can
// serve, and the command that runs it with a configuration. Asks each program once for its version; serves nothing.
import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { UserError } from "../../base/errors.ts";
import { type Lane, laneFacts } from "../../base/lanes.ts";

export type ServerProgram = "nginx" | "caddy" | "haproxy" | "h2o";

interface Known {
  /** As its makers write it. */
  readonly title: string;
  readonly debian: string;
  /** The template, shipped beside this file. */
  readonly template: string;
  readonly versionWords: readonly string[];
  readonly version: RegExp;
  /** What of its words says how it was built. */
  readonly build: RegExp | null;
  /** null: it can; else why not. */
  readonly noH3: (words: string) => string | null;
  /** Over TCP. null: its template takes it; else why not. */
  readonly noEarlyData: string | null;
  /** For /bin/sh. */
  readonly run: (path: string, configuration: string, folder: string) => string;
}

export const knownPrograms: Readonly<Record<ServerProgram, Known>> = {
  nginx: {
    title: "nginx",
    debian: "nginx",
    template: "nginx.conf",
    versionWords: ["-V"],
    version: /nginx version: \S+?\/(\S+)/,
    build: /configure arguments: (.*)/,
    noH3: (words) => (words.includes("--with-http_v3_module") ? null : "is built without HTTP/3 (it came with 1.25)"),
    noEarlyData: null,
    run: (path, configuration) => `exec ${path} -e stderr -c ${configuration}`,
  },
  caddy: {
    title: "Caddy",
    debian: "caddy",
    template: "Caddyfile",
    versionWords: ["version"],
    version: /v?(\d+\.\d+\S*)/,
    build: null,
    noH3: (words) => (/^v?2\.[0-5]\./m.test(words) ? "serves HTTP/3 from 2.6 on" : null),
    noEarlyData: "takes no early data: Go’s TLS has none",
    run: (path, configuration, folder) =>
      `export HOME=${folder} XDG_CONFIG_HOME=${folder} XDG_DATA_HOME=${folder}; exec ${path} run --config ${configuration} --adapter caddyfile`,
  },
  haproxy: {
    title: "HAProxy",
    debian: "haproxy",
    template: "haproxy.cfg",
    versionWords: ["-vv"],
    version: /HAProxy version (\S+)/,
    build: /Feature list : (.*)/,
    noH3: (words) => (words.includes("+QUIC") ? null : "is built without QUIC (USE_QUIC)"),
    noEarlyData: "does not log what came as early data once the handshake has ended",
    run: (path, configuration) => `exec ${path} -db -f ${configuration}`,
  },
  h2o: {
    title: "h2o",
    debian: "h2o",
    template: "h2o.conf",
    versionWords: ["--version"],
    version: /h2o version (\S+)/,
    build: /(OpenSSL: .*)/,
    noH3: () => "serves no HTTP/3 in its releases (2.2)",
    noEarlyData: "takes no early data in its releases (2.2)",
    run: (path, configuration) => `exec ${path} -m worker -c ${configuration}`,
  },
};

export const isServerProgram = (name: string): name is ServerProgram => Object.hasOwn(knownPrograms, name);
export const serverPrograms = Object.keys(knownPrograms) as readonly ServerProgram[];

/** A program as it is installed. */
export interface InstalledServer {
  readonly path: string;
  readonly version: string;
  /** How it was built, as it says; null: it does not. */
  readonly build: string | null;
  /** Why it has no HTTP/3; null: it has. */
  readonly noH3: string | null;
}

const systemFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/** Its absolute path; null if it is not installed. */
export function serverPath(name: ServerProgram, environment: NodeJS.ProcessEnv = process.env): string | null {
  const folders = [...(environment.PATH ?? "").split(delimiter), ...systemFolders].filter((folder) =>
    folder.startsWith("/"),
  );
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {}
  }
  return null;
}

const found = new Map<ServerProgram, Promise<InstalledServer>>();

/** Looked up once. UserError if it is not installed or does not say its version. */
export function installedServer(name: ServerProgram): Promise<InstalledServer> {
  const known = found.get(name) ?? ask(name);
  found.set(name, known);
  known.catch(() => found.delete(name));
  return known;
}

async function ask(name: ServerProgram): Promise<InstalledServer> {
  const { versionWords, version, build, noH3, debian } = knownPrograms[name];
  const path = serverPath(name);
  if (path === null)
    throw new UserError(`server ${name} is not installed: install it (apt install ${debian}), or leave it out`);
  const { stdout, stderr } = await promisify(execFile)(path, [...versionWords], { timeout: 10_000 });
  const words = `${stdout}${stderr}`;
  const found = version.exec(words)?.[1];
  if (found === undefined) throw new UserError(`server ${name}: ${path} ${versionWords.join(" ")} names no version`);
  return { path, version: found, build: build?.exec(words)?.[1] ?? null, noH3: noH3(words) };
}

/** Why live servers are not loaded over a lane; null: they are, and may refuse it themselves. */
export function liveRefusal(lane: Lane): string | null {
  const { clear, repeat } = laneFacts[lane];
  if (clear) return "live servers get requests as the page makes them: only a recording is served without TLS";
  return repeat ? "repeat visits are of recordings: live servers are visited once" : null;
}

/** Why a program cannot serve a lane; null: it can. `noH3`: as installed. */
export function laneRefusal(lane: Lane, noH3: string | null, noEarlyData: string | null): string | null {
  const { clear, repeat, protocols } = laneFacts[lane];
  if (clear) return "ends TLS, and this lane has none";
  if (protocols.includes("h3")) return noH3 ?? (repeat ? "logs no early data over QUIC" : null);
  return repeat ? noEarlyData : null;
}
