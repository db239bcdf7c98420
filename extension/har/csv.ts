// A profile's requests as CSV (RFC 4180, UTF-8, one header line), in the order of their beginnings. Times in ms, sizes in
// bytes; an empty field: does not apply, or was not reported.
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import type { Profile } from "../../schemas/generated/profile.ts";
import { answeredBy, earlyDataConnections } from "../capture/answered_by.ts";
import { csvField } from "./csv_field.ts";

type Field = string | number | boolean | null;

const ms = (time: number): number | null => (time < 0 ? null : Math.round(time * 1000) / 1000);

const requestColumns: readonly { readonly name: string; readonly value: (entry: HarEntry) => Field }[] = [
  { name: "url", value: ({ request }) => request.url },
  { name: "method", value: ({ request }) => request.method },
  { name: "status", value: ({ response }) => response.status },
  { name: "error", value: ({ response }) => response._error },
  { name: "type", value: ({ _resourceType }) => _resourceType },
  { name: "mime_type", value: ({ response }) => response.content.mimeType },
  { name: "frame", value: ({ _trilane }) => _trilane.frame },
  { name: "address", value: ({ serverIPAddress }) => serverIPAddress ?? null },
  { name: "port", value: ({ _trilane }) => _trilane.serverPort },
  { name: "connection", value: ({ _connectionId }) => _connectionId ?? null },
  { name: "connection_reused", value: ({ _trilane }) => _trilane.connectionReused },
  { name: "priority", value: ({ _priority }) => _priority ?? null },
  { name: "start_ms", value: ({ _trilane }) => Math.round(_trilane.startOffset_ms * 1000) / 1000 },
  { name: "time_ms", value: ({ time }) => ms(time) },
  { name: "blocked_ms", value: ({ timings }) => ms(timings.blocked) },
  { name: "dns_ms", value: ({ timings }) => ms(timings.dns) },
  { name: "connect_ms", value: ({ timings }) => ms(timings.connect) },
  { name: "tls_ms", value: ({ timings }) => ms(timings.ssl) },
  { name: "send_ms", value: ({ timings }) => ms(timings.send) },
  { name: "wait_ms", value: ({ timings }) => ms(timings.wait) },
  { name: "receive_ms", value: ({ timings }) => ms(timings.receive) },
  { name: "transferred_bytes", value: ({ response }) => response._transferSize },
  { name: "decoded_bytes", value: ({ response }) => response.content.size },
  { name: "complete", value: ({ _trilane }) => _trilane.complete },
];

export function csvText(profile: Profile): string {
  const { entries } = profile.log;
  const early = earlyDataConnections(entries);
  const rows = entries.map((entry) => [answeredBy(entry, early), ...requestColumns.map(({ value }) => value(entry))]);
  const lines = [["protocol", ...requestColumns.map(({ name }) => name)], ...rows];
  return lines.map((fields) => `${fields.map(csvField).join(",")}\r\n`).join("");
}
