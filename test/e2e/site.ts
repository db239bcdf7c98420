// Small recordings written straight into an archive, for tests that need a page of a certain shape.
import type { JsonObject } from "../../cli/recording/archive/archive.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";

export interface Resource {
  readonly url: string;
  readonly body?: string | Uint8Array;
  readonly type?: string;
  readonly status?: number;
  /** Response headers besides the type. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** The server's, where it is not to be one of its host's own. */
  readonly address?: string;
  /** What the recording knows beyond that: server_time_ms, rtt_ms, tls, ... */
  readonly recorded?: JsonObject;
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
  notes: JsonObject = {},
): Promise<Site> {
  const hosts = [...new Set(resources.map((resource) => new URL(resource.url).hostname))];
  const start = url ?? resources[0]?.url ?? "";
  const recording = await withArchive(home, (archive) =>
    archive.write({ name, url: start, source: "test", notes, replace: true }, async (writer) => {
      for (const { url: at, body, type, status, headers, address, recorded } of resources) {
        const { protocol, hostname, port, pathname, search } = new URL(at);
        const scheme = protocol === "http:" ? "http" : "https";
        await writer.add({
          exchange: {
            method: "GET",
            scheme,
            host: hostname.replace(/^\[|\]$/g, ""),
            port: port === "" ? (scheme === "http" ? 80 : 443) : Number(port),
            path: pathname + search,
            request_headers: [],
            address: address ?? `203.0.113.${hosts.indexOf(hostname) + 1}`,
            status: status ?? 200,
            response_headers: [["content-type", type ?? "text/html; charset=utf-8"], ...(headers ?? [])],
            body_origin: body === undefined ? "empty" : "recorded",
            recorded: recorded ?? {},
          },
          body: typeof body === "string" ? new TextEncoder().encode(body) : body,
        });
      }
    }),
  );
  return { name, digest: recording.digest, url: start };
}
