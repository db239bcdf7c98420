// What stands for this machine in a sweep that several share: its name and facts. Reads the system; stores nothing.
import { hostname } from "node:os";
import { UserError } from "../errors.ts";
import { machine } from "../measure/environment.ts";
import type { HostFacts } from "../results/results.ts";
import { version } from "../version.ts";

/** Also part of files' names. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** `asked`: another name than the system's. UserError for one that no file could have. */
export function hostName(asked: string | undefined): string {
  if (asked === undefined)
    return (
      hostname()
        .replaceAll(/[^A-Za-z0-9._-]/g, "-")
        .replace(/^[^A-Za-z0-9]*/, "") || "host"
    );
  if (namePattern.test(asked)) return asked;
  throw new UserError(`--host ${JSON.stringify(asked)}: use letters, digits, dots and hyphens, as lab-3`);
}

/** What is known before a load: its browser's version joins when shards are merged. */
export function hostFacts(): HostFacts {
  return { ...machine(), versions: { trilane: [version] } };
}
