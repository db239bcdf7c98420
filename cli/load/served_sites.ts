// The https hosts of a recording with their ports and addresses, as trilane-replay has them if http:// is upgraded: what a server in
// front of it is configured for. Read once for each recording.
import { withArchive } from "../recording/archive/client.ts";
import { recordedUrl } from "../recording/archive/recorded_requests.ts";
import { urlOnLane } from "./clear_origins.ts";
import type { ServedSite } from "./servers/template.ts";

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

/** Another recording of that name, which a load finds out, may be read. */
export function servedSites(home: string, { name, digest }: { name: string; digest: string }) {
  const key = JSON.stringify([home, name, digest]);
  const found = known.get(key) ?? read(home, name);
  known.set(key, found);
  found.catch(() => known.delete(key));
  return found;
}
