// Small recordings written straight into an archive, for tests that need a page of a certain shape.
import { withArchive } from "../../cli/archive/client.ts";

export interface Resource {
  readonly url: string;
  readonly body?: string | Uint8Array;
  readonly type?: string;
  readonly status?: number;
}

export interface Site {
  readonly name: string;
  readonly digest: string;
  readonly url: string;
}

/** A recording of these resources, each host on an address of its own. The page starts at `url`, else at the first. */
export async function recordSite(
  home: string,
  name: string,
  resources: readonly Resource[],
  url?: string,
): Promise<Site> {
  const hosts = [...new Set(resources.map((resource) => new URL(resource.url).hostname))];
  const start = url ?? resources[0]?.url ?? "";
  const recording = await withArchive(home, (archive) =>
    archive.write({ name, url: start, source: "test", notes: {}, replace: true }, async (writer) => {
      for (const { url: at, body, type, status } of resources) {
        const { protocol, hostname, port, pathname, search } = new URL(at);
        const scheme = protocol === "http:" ? "http" : "https";
        await writer.add({
          exchange: {
            method: "GET",
            scheme,
            host: hostname,
            port: port === "" ? (scheme === "http" ? 80 : 443) : Number(port),
            path: pathname + search,
            request_headers: [],
            address: `203.0.113.${hosts.indexOf(hostname) + 1}`,
            status: status ?? 200,
            response_headers: [["content-type", type ?? "text/html; charset=utf-8"]],
            body_origin: body === undefined ? "empty" : "recorded",
            recorded: {},
          },
          body: typeof body === "string" ? new TextEncoder().encode(body) : body,
        });
      }
    }),
  );
  return { name, digest: recording.digest, url: start };
}
