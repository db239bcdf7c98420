// A recording in numbers: its exchanges grouped by host, type, size and protocol. Pure.
import type { ExchangeGroup as Group, RecordingShown } from "../../../schemas/generated/recording_shown.ts";
import type { ArchivedExchange } from "../archive/archive.ts";

/** A response's media type without parameters, in lower case; "" where none is named. */
export function mediaType({ response_headers }: ArchivedExchange): string {
  const header = response_headers.find(([name]) => name === "content-type")?.[1] ?? "";
  return header.split(";")[0]?.trim().toLowerCase() ?? "";
}

const sizes = [
  [0, "empty"],
  [1_000, "up to 1 kB"],
  [10_000, "up to 10 kB"],
  [100_000, "up to 100 kB"],
  [1_000_000, "up to 1 MB"],
] as const;

const sizeName = (size: number): string => sizes.find(([most]) => size <= most)?.[1] ?? "above 1 MB";

function grouped(exchanges: readonly ArchivedExchange[], nameOf: (exchange: ArchivedExchange) => string): Group[] {
  return [...Map.groupBy(exchanges, nameOf)].map(([name, members]) => ({
    name,
    exchanges: members.length,
    body_bytes: members.reduce((sum, { body_size }) => sum + body_size, 0),
    filled: members.filter(({ body_origin }) => body_origin === "filled").length,
  }));
}

const bytesFirst = (a: Group, b: Group): number =>
  b.body_bytes - a.body_bytes || b.exchanges - a.exchanges || (a.name < b.name ? -1 : 1);

export function summarize(exchanges: readonly ArchivedExchange[]): RecordingShown["by"] {
  const order = [...sizes.map(([, name]) => name as string), "above 1 MB"];
  return {
    host: grouped(exchanges, ({ host }) => host).toSorted(bytesFirst),
    type: grouped(exchanges, (exchange) => mediaType(exchange) || "not named").toSorted(bytesFirst),
    size: grouped(exchanges, ({ body_size }) => sizeName(body_size)).toSorted(
      (a, b) => order.indexOf(a.name) - order.indexOf(b.name),
    ),
    protocol: grouped(exchanges, ({ recorded }) =>
      typeof recorded.protocol === "string" ? recorded.protocol : "not known",
    ).toSorted(bytesFirst),
    status: grouped(exchanges, ({ status }) => `${status}`).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
