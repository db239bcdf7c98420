// A server in one load's lab: its folder with certificates, configuration and log, the words that run it between trilane-replay and
// the link, and what it left behind. Starts nothing.
import { readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ServerFacts } from "../../schemas/generated/page_load.ts";
import type { ServerReport } from "../../schemas/generated/server_report.ts";
import { UserError } from "../base/errors.ts";
import { readForeignBytes } from "../base/foreign_file.ts";
import { programPath } from "../base/programs.ts";
import { readDocument } from "../base/record_file.ts";
import { shellWord } from "../base/shell_word.ts";
import { withArchive } from "../recording/archive/client.ts";
import { recordedUrl } from "../recording/archive/recorded_requests.ts";
import { urlOnLane } from "./lane_origins.ts";
import type { ReplayReport } from "./reports.ts";
import { knownPrograms } from "./servers/programs.ts";
import { readServerLog, withServerLog } from "./servers/server_log.ts";
import { installed, type LoadServer } from "./servers/servers.ts";
import { fillTemplate, type ServedSite, type TemplateValues } from "./servers/template.ts";

/** Of trilane-replay behind a server (native-host/replay/server.h). */
const upstream = "127.0.0.1:8099";
const templates = join(import.meta.dirname, "servers", "templates");

interface ServerRun {
  /** trilane-replay's. */
  readonly replayOptions: readonly string[];
  /** After trilane-replay's words. */
  readonly words: readonly string[];
  readonly folder: string;
  readonly facts: Omit<ServerFacts, "cpu_ms" | "logged">;
  readonly sites: readonly ServedSite[];
}

const known = new Map<string, Promise<readonly ServedSite[]>>();

async function read(home: string, name: string): Promise<readonly ServedSite[]> {
  const { exchanges } = await withArchive(home, (archive) => archive.show(name));
  const sites = new Map<string, { ports: Set<number>; addresses: Set<string> }>();
  for (const exchange of exchanges) {
    const { port, protocol } = new URL(urlOnLane(recordedUrl(exchange), "h2"));
    if (protocol !== "https:") continue;
    const site = sites.get(exchange.host) ?? { ports: new Set(), addresses: new Set() };
    sites.set(exchange.host, site);
    site.ports.add(Number(port || 443));
    site.addresses.add(exchange.address);
  }
  return [...sites].map(([host, { ports, addresses }]) => ({ host, ports: [...ports], addresses: [...addresses] }));
}

/**
 * The https hosts of a recording with their ports and addresses, as trilane-replay has them if http:// is upgraded. Read once for each
 * recording; another one of that name, which a load finds out, may be read.
 */
function servedSites(home: string, { name, digest }: { name: string; digest: string }) {
  const key = JSON.stringify([home, name, digest]);
  const found = known.get(key) ?? read(home, name);
  known.set(key, found);
  found.catch(() => known.delete(key));
  return found;
}

function templateOf({ name, definition }: LoadServer): string | null {
  const { program, configuration } = definition;
  if (configuration === undefined)
    return program === undefined ? null : readFileSync(join(templates, knownPrograms[program].template), "utf8");
  try {
    return readForeignBytes(configuration).toString("utf8");
  } catch (error) {
    if (error instanceof UserError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    throw new UserError(`server ${name}: ${configuration} cannot be read (${code}): name a file`);
  }
}

interface ServerPlace {
  readonly home: string;
  readonly recording: { readonly name: string; readonly digest: string };
  readonly scratch: string;
  /** Words that run the server, as strace's. */
  readonly around?: readonly string[];
}

/** Makes its folder in `scratch`. UserError for a program or file that is not there, and for a template's mistakes. */
export async function prepareServer(
  server: LoadServer,
  { home, recording, scratch, around }: ServerPlace,
): Promise<ServerRun> {
  const { name, definition } = server;
  const folder = join(scratch, "server");
  const certificates = join(folder, "certificates");
  await mkdir(certificates, { recursive: true });
  const program = await installed(server);
  const sites = await servedSites(home, recording);
  const hosts = sites.map((site) => ({ ...site, certificate: join(certificates, `${site.host}.pem`) }));
  const values: TemplateValues = {
    ...{ folder, certificates, upstream, hosts, log: join(folder, "requests.log") },
    configuration: join(folder, "configuration"),
    h3: program === null || program.noH3 === null,
  };
  const fill = (text: string): string => {
    try {
      return fillTemplate(text, values);
    } catch (error) {
      throw error instanceof UserError ? new UserError(`server ${name}: ${error.message}`) : error;
    }
  };
  const template = templateOf(server);
  const configuration = template === null ? null : fill(template);
  if (configuration !== null) await writeFile(values.configuration, configuration);
  const command =
    program && definition.program
      ? knownPrograms[definition.program].run(program.path, values.configuration, folder)
      : fill(definition.command ?? "");
  const run = around ? ["exec", ...[...around, "/bin/sh", "-c", command].map(shellWord)].join(" ") : command;
  const ports = [...new Set(hosts.flatMap((host) => host.ports))];
  const listens = [
    ...ports.map((port) => `tcp:${port}`),
    ...(program && program.noH3 === null ? ports.map((port) => `udp:${port}`) : []),
  ];
  const shown = (text: string): string => text.replaceAll(folder, "$SERVER");
  return {
    folder,
    replayOptions: ["--behind", certificates, "--early-hints", "none"],
    words: [
      ...[programPath("trilane-server"), "--name", name, "--run", run, "--output", join(folder, "output")],
      ...(listens.length > 0 ? ["--listens", listens.join(",")] : []),
      ...["--report", join(folder, "report.json"), "--"],
    ],
    facts: {
      name,
      program: definition.program ?? null,
      version: program?.version ?? null,
      build: program?.build ?? null,
      command: shown(command),
      configuration: configuration === null ? null : shown(configuration),
    },
    sites,
  };
}

const textOf = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");

function endReason(name: string, { ended }: ServerReport, output: string): string[] {
  if (ended === null) return [];
  const how = ended.signal === null ? `exit status ${ended.exit_status}` : `signal ${ended.signal}`;
  const last =
    output
      .trim()
      .split("\n")
      .findLast((line) => !line.startsWith("trilane\t")) ?? "";
  return [`server ${name} ended during the load (${how})${last === "" ? "" : `: ${last.slice(0, 300)}`}`];
}

/** Once the lab has gone: `replay` with the browser's connections, as far as the server logs them; and why the load does not count. */
export async function readServer(run: ServerRun, replay: ReplayReport | null) {
  const report = await readDocument<ServerReport>(join(run.folder, "report.json"), "trilane/server-report/1");
  const output = await textOf(join(run.folder, "output"));
  // HAProxy's log is its output.
  const log = readServerLog(`${await textOf(join(run.folder, "requests.log"))}\n${output}`);
  const addressOf = (url: string): string => {
    const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, "");
    return run.sites.find((site) => site.host === host)?.addresses[0] ?? "127.0.0.1";
  };
  const cpu_ms = report?.cpu_ns === undefined || report.cpu_ns === null ? null : report.cpu_ns / 1e6;
  return {
    facts: { ...run.facts, cpu_ms, logged: log.length },
    reasons: report ? endReason(run.facts.name, report, output) : [`server ${run.facts.name} left no report`],
    replay: replay && withServerLog(replay, log, addressOf),
  };
}
