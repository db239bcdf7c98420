// What a server says of its requests, a line each, and the replay's report with it: the replay sees requests in clear from the server,
// and the server's log says on which protocol and connection each came from the browser. Pure.
//
// A line is `trilane`, protocol, client, method, URL by tabs; or Caddy's JSON. After the URL may follow the host, whether the connection resumed an
// earlier one, and whether the request came as early data.
import type { ReplayConnection, ReplayedRequest, ReplayReport } from "../../../schemas/generated/replay_report.ts";

export interface LoggedRequest {
  readonly lane: ReplayConnection["lane"];
  /** Address and port, which name a connection. */
  readonly client: string;
  readonly method: string;
  readonly url: string;
  readonly resumed?: boolean;
  readonly early?: boolean;
}

/** As nginx says it. */
const isSaid = (word: string): boolean => word === "r" || word === "1";

function laneNamed(protocol: string): LoggedRequest["lane"] | null {
  if (/^HTTP\/1\.[01]$/.test(protocol)) return "h1";
  if (/^HTTP\/2(\.0)?$/.test(protocol)) return "h2";
  return /^HTTP\/3(\.0)?$/.test(protocol) ? "h3" : null;
}

const withoutDefaultPort = (url: string): string => url.replace(/^(https:\/\/[^/?#]*?):443(?=[/?#]|$)/, "$1");

function ofTabs(line: string): LoggedRequest | null {
  const [, protocol = "", client = "", method = "", target = "", host = "", resumed = "", early = ""] =
    line.split("\t");
  const lane = laneNamed(protocol);
  if (lane === null || method === "") return null;
  const url = target.startsWith("/") ? `https://${host}${target}` : target;
  const repeated = { ...(isSaid(resumed) ? { resumed: true } : {}), ...(isSaid(early) ? { early: true } : {}) };
  return { lane, client, method, url: withoutDefaultPort(url), ...repeated };
}

interface CaddyLine {
  readonly request?: Readonly<Record<"proto" | "remote_ip" | "remote_port" | "method" | "host" | "uri", unknown>>;
}

function ofJson(line: string): LoggedRequest | null {
  try {
    const { request } = JSON.parse(line) as CaddyLine;
    const lane = laneNamed(String(request?.proto));
    if (!request || lane === null) return null;
    const client = `${String(request.remote_ip)}:${String(request.remote_port)}`;
    const url = withoutDefaultPort(`https://${String(request.host)}${String(request.uri)}`);
    return { lane, client, method: String(request.method), url };
  } catch {
    return null; // a line that was cut off
  }
}

/** Skips other lines. */
export function readServerLog(text: string): LoggedRequest[] {
  return text.split("\n").flatMap((line) => {
    const read = line.startsWith("trilane\t") ? ofTabs(line) : line.startsWith("{") ? ofJson(line) : null;
    return read ? [read] : [];
  });
}

const coded = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");

/** Servers write a URL's unusual bytes as they came; the replay writes %XX. */
const keyOf = (method: string, url: string): string =>
  `${method} ${url.replaceAll(/[^\w\-.~:/?#[\]@!$&'()*+,;=%]/gu, coded)}`;

/**
 * The report as if the replay had had the browser's connections itself. A request that the log does not have keeps none, which
 * the verdict finds. `addressOf`: of a host.
 */
export function withServerLog(
  report: ReplayReport,
  log: readonly LoggedRequest[],
  addressOf: (url: string) => string,
): ReplayReport {
  const waiting = Map.groupBy(log, ({ method, url }) => keyOf(method, url));
  const ids = new Map<string, number>();
  const connections: ReplayConnection[] = [];
  const connectionOf = (
    { lane, client, url, resumed = false, early = false }: LoggedRequest,
    { request_ns }: ReplayedRequest,
  ): number => {
    const name = `${lane} ${client}`;
    const known = ids.get(name);
    if (known !== undefined) return known;
    const id = connections.length;
    ids.set(name, id);
    connections.push({
      ...{ id, lane, local_address: addressOf(url), local_port: Number(URL.parse(url)?.port || 443) },
      ...{ tls_version: null, alpn: lane === "h1" ? "http/1.1" : lane, resumed, early_data: early },
      // At the latest.
      ...{ opened_ns: request_ns, secured_ns: request_ns, closed_ns: null, close_reason: null, qlog: null },
    });
    return id;
  };
  const requests = report.requests.map((request) => {
    const logged = waiting.get(keyOf(request.method, request.url))?.shift();
    return { ...request, connection: logged ? connectionOf(logged, request) : null };
  });
  return { ...report, connections, requests };
}
