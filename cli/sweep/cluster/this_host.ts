// What stands for this machine in a sweep that several share: its name and facts. Reads the system; stores nothing.
import { createHmac } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { UserError } from "../../base/errors.ts";
import { version } from "../../base/version.ts";
import { machine } from "../../load/environment.ts";
import type { HostFacts } from "../../results/store/results.ts";

/** Also part of files' names. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** `named`: another name than the system's. UserError for one that no file could have. */
export function hostName(named: string | undefined): string {
  if (named === undefined)
    return (
      hostname()
        .replaceAll(/[^A-Za-z0-9._-]/g, "-")
        .replace(/^[^A-Za-z0-9]*/, "") || "host"
    );
  if (namePattern.test(named)) return named;
  throw new UserError(`--host ${JSON.stringify(named)}: use letters, digits, dots and hyphens, as lab-3`);
}

/** A machine has one from its installation on; if there is none, one from its start on. */
const idPaths = ["/etc/machine-id", "/var/lib/dbus/machine-id", "/proc/sys/kernel/random/boot_id"];

/** Hashed, as machine-id(5) asks of whoever hands it on. */
export function machineId(paths: readonly string[] = idPaths): string {
  const ids = paths.filter((path) => existsSync(path)).map((path) => readFileSync(path, "utf8").trim());
  // An image that is to be installed holds an empty one, or the word.
  const id = ids.find((each) => each !== "" && each !== "uninitialized") ?? "";
  return createHmac("sha256", id).update("trilane host").digest("hex").slice(0, 32);
}

/** What is known before a load: its browser's version joins when shards are merged. */
export function hostFacts(): HostFacts {
  return { ...machine(), machine_id: machineId(), versions: { trilane: [version] } };
}
