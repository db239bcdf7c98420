// Whether each host was reached over HTTP/3, and if not, why, as far as the browser says: the protocol of each answer, how
// the browser came to it (AlternateProtocolUsage), and the server's Alt-Svc header. Pure; the sentences are people's.
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import type { HostH3 } from "../../schemas/generated/profile.ts";

const namesH3 = /(^|[\s,])h3\s*=/i;
/** AlternateProtocolUsage of who knew of HTTP/3 before its request: by an earlier Alt-Svc header or an HTTPS record. */
const knewOfH3 = /JobWon|^broken$/;

interface Host {
  readonly secure: boolean;
  readonly entries: HarEntry[];
}

export const wentOverNetwork = ({ _fromCache, request, response }: HarEntry): boolean =>
  URL.canParse(request.url) && _fromCache === undefined && response._fetchedViaServiceWorker !== true;

const hasAltSvcH3 = (entries: readonly HarEntry[]): boolean =>
  entries.some(({ response }) =>
    response.headers.some(({ name, value }) => name.toLowerCase() === "alt-svc" && namesH3.test(value)),
  );

/** Whether a host offered HTTP/3 to these requests; null: neither headers nor the browser tell. */
export function offersH3(entries: readonly HarEntry[]): boolean | null {
  const usages = entries.flatMap(({ _trilane }) => _trilane.alternateProtocol ?? []);
  if (hasAltSvcH3(entries) || usages.some((usage) => knewOfH3.test(usage))) return true;
  return usages.includes("mappingMissing") || entries.some(({ response }) => response.headers.length > 0)
    ? false
    : null;
}

function whyNot({ secure, entries }: Host, h3: number): string {
  const answered = entries.filter(({ _protocol }) => _protocol !== undefined && _protocol !== "");
  const usages = new Set(entries.map(({ _trilane }) => _trilane.alternateProtocol));
  const offered = hasAltSvcH3(entries);
  const others = [...new Set(answered.map(({ _protocol }) => _protocol).filter((name) => name !== "h3"))].join(", ");
  if (answered.length === 0) {
    const error = entries.find(({ response }) => response._error !== null)?.response._error;
    return error ? `No request was answered (${error}).` : "The browser did not report the protocol.";
  }
  if (h3 === answered.length) return "";
  if (h3 > 0) {
    return offered || usages.has("mappingMissing")
      ? `Some went over ${others}: the browser learnt of HTTP/3 from an Alt-Svc header in the first responses and then switched. With an HTTPS record in DNS that names h3, it could start with HTTP/3.`
      : `Some went over ${others}, because that connection was ready first or already open.`;
  }
  if (!secure) return "HTTP/3 needs TLS, and http:// has none.";
  if (usages.has("broken"))
    return "HTTP/3 failed before, so the browser avoids it for a while. Often UDP port 443 is blocked on the way.";
  if (usages.has("mainJobWonRace"))
    return `HTTP/3 was tried, but the connection over ${others} was ready first, so the browser fell back.`;
  if (offered)
    return "The server offers HTTP/3 by Alt-Svc, which the browser learns only from the first response, so the next visit may use it. With an HTTPS record in DNS that names h3, the first visit could.";
  if (usages.has("mappingMissing"))
    return "The server does not offer it: neither an Alt-Svc header nor an HTTPS record in DNS names h3.";
  return `The server's responses (${others}) do not offer it by Alt-Svc. The browser does not report DNS.`;
}

/** One row for each host that was reached over the network, in the order of the first requests. */
export function hostsOverH3(entries: readonly HarEntry[]): HostH3[] {
  const hosts = new Map<string, Host>();
  for (const entry of entries) {
    const url = URL.parse(entry.request.url);
    if (!url || !wentOverNetwork(entry)) continue;
    const key = url.host;
    const host = hosts.get(key) ?? { secure: url.protocol === "https:", entries: [] };
    host.entries.push(entry);
    hosts.set(key, host);
  }
  return [...hosts].map(([host, its]) => {
    const h3 = its.entries.filter(({ _protocol }) => _protocol === "h3").length;
    return { host, used: h3 > 0, requests: its.entries.length, requests_h3: h3, why: whyNot(its, h3) };
  });
}
