// What a load ran with, for whoever asks whether two results may be compared. `environmentOf` is pure; `machine` reads
// the system. Measures nothing.
import { arch, cpus, release, totalmem } from "node:os";
import type { Environment } from "../../schemas/generated/environment.ts";

export type Machine = Pick<Environment, "kernel" | "architecture" | "cpu" | "cpus" | "memory_bytes">;

export function machine(): Machine {
  const all = cpus();
  return {
    kernel: release(),
    architecture: arch(),
    cpu: all[0]?.model.trim() || "unknown",
    cpus: Math.max(1, all.length),
    memory_bytes: totalmem(),
  };
}

interface EnvironmentParts {
  readonly machine: Machine;
  /** By product. */
  readonly versions: Record<string, string>;
  /** SHA-256 of the browser's program; null: not known. */
  readonly browserDigest: string | null;
  /** Of the servers; null where no report says. */
  readonly congestionControl: { tcp: string | null; quic: string | null };
  readonly commandLines: Environment["command_lines"];
  /** Folders of one load or one user, and the names to write in their place. */
  readonly places: readonly { path: string; name: string }[];
}

/** The environment, with the same text for every load that ran the same way. */
export function environmentOf(parts: EnvironmentParts): Environment {
  const places = parts.places.toSorted((a, b) => b.path.length - a.path.length);
  const named = (argument: string) =>
    places.reduce((text, { path, name }) => (path === "" ? text : text.replaceAll(path, name)), argument);
  const { replay, shaper, browser } = parts.commandLines;
  return {
    versions: Object.fromEntries(Object.entries(parts.versions).sort(([a], [b]) => a.localeCompare(b))),
    ...(parts.browserDigest === null ? {} : { browser_sha256: parts.browserDigest }),
    ...parts.machine,
    congestion_control: parts.congestionControl,
    command_lines: { replay: replay.map(named), shaper: shaper.map(named), browser: browser.map(named) },
  };
}
