// A recording exported: which format needs what, and what each cannot hold. The formats are in files of their own.
import { atomicWrite } from "../../base/atomic_write.ts";
import { UserError } from "../../base/errors.ts";
import { count } from "../../base/numbers.ts";
import { printFile } from "../../base/terminal_text.ts";
import type { Archive } from "../archive/archive.ts";
import { recordingHarPieces } from "./har.ts";
import { exportMahimahi } from "./mahimahi.ts";
import { openRecording, type RecordingSource } from "./recording_source.ts";
import { wprPieces } from "./wpr.ts";

export const recordingFormats = ["har", "mahimahi", "wpr"] as const;
export type RecordingFormat = (typeof recordingFormats)[number];

interface ExportedRecording {
  readonly exchanges: number;
  /** What the format cannot hold, a line each. */
  readonly left_out: readonly string[];
}

/** What every recorder of the wire leaves out. */
function withoutFacts({ exchanges }: RecordingSource, kept: { addresses: boolean; protocol: boolean }): string[] {
  const knows = (name: string): number => exchanges.filter(({ recorded }) => (recorded[name] ?? null) !== null).length;
  const filled = exchanges.filter(({ body_origin }) => body_origin === "filled").length;
  return [
    ...(knows("timings") > 0 ? ["timings, priorities and connections"] : []),
    ...(knows("tls") > 0 ? ["certificates and TLS versions"] : []),
    ...(kept.protocol ? [] : ["protocols: all is HTTP/1.1"]),
    ...(kept.addresses ? [] : ["server addresses"]),
    ...(filled > 0 ? [`that ${count(filled, "body is", "bodies are")} filled in`] : []),
  ];
}

/** `path` null: standard output. Writes whole or not at all. */
async function write(source: RecordingSource, format: RecordingFormat, path: string | null): Promise<string[]> {
  if (format === "mahimahi") {
    if (path === null) throw new UserError("export: --format mahimahi writes a folder: name it with --out");
    const { addresses_replaced } = await exportMahimahi(source, path);
    const addresses = `${count(addresses_replaced, "IPv6 address", "IPv6 addresses")}: replaced, one of 198.19.0.0/16 each`;
    return [
      ...withoutFacts(source, { addresses: true, protocol: false }),
      ...(addresses_replaced > 0 ? [addresses] : []),
    ];
  }
  const pieces = format === "wpr" ? wprPieces(source) : recordingHarPieces(source);
  if (path === null) await printFile(pieces);
  else await atomicWrite(path, pieces);
  return format === "wpr"
    ? withoutFacts(source, { addresses: false, protocol: true })
    : [
        "content-encoded bodies as they were on the wire: they are decoded, and compressed again to the same size by `import`",
      ];
}

export async function exportRecording(
  archive: Archive,
  name: string,
  format: RecordingFormat,
  path: string | null,
  keepCredentials = false,
): Promise<ExportedRecording> {
  const source = await openRecording(archive, name, keepCredentials);
  return { left_out: await write(source, format, path), exchanges: source.exchanges.length };
}
