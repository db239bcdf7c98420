// What tests record: one exchange, which they vary, and the recording that it is in.
import { createHash } from "node:crypto";
import type { Exchange } from "../../../../cli/recording/archive/archive.ts";

export function exchange(path: string, more: Partial<Exchange> = {}): Exchange {
  return {
    method: "GET",
    scheme: "https",
    host: "www.example.org",
    port: 443,
    path,
    request_headers: [["accept", "*/*"]],
    address: "192.0.2.10",
    status: 200,
    response_headers: [["content-type", "text/plain"]],
    body_origin: "recorded",
    recorded: { protocol: "h2" },
    ...more,
  };
}

export function newRecording(name: string, replace = false) {
  return { name, url: "https://www.example.org/", source: "test", notes: { filled: 0 }, replace };
}

export const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
