// Trees of Debian's files, made by mmdebstrap from where this machine has its own packages: an image's files, libraries for another machine.
import { execFileSync, spawn } from "node:child_process";
import { RunError } from "../../base/errors.ts";

/** Packages come from where this machine has its own from. */
function mirrors(suite: string): string[] {
  const rows = execFileSync("apt-get", ["indextargets", "--format", "$(LABEL) $(REPO_URI)", "Created-By: Packages"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const of = (label: string) =>
    rows
      .split("\n")
      .find((row) => row.startsWith(`${label} `))
      ?.slice(label.length + 1);
  const [archive, security] = [of("Debian"), of("Debian-Security")];
  if (!archive || !security) return [];
  return [
    `deb ${archive} ${suite} main`,
    `deb ${archive} ${suite}-updates main`,
    `deb ${security} ${suite}-security main`,
  ];
}

/** How this machine reaches them: proxies and certificates, but no passwords in files. */
function aptOptions(): string[] {
  const rows = execFileSync("apt-config", ["dump", "Acquire"], { encoding: "utf8" }).split("\n");
  return rows
    .filter((row) => /^Acquire::(https?::|Check-)/.test(row) && !row.endsWith(' "";'))
    .map((row) => `--aptopt=${row}`);
}

export interface DebianTree {
  readonly suite: string;
  /** A folder, or a file that ends in .tar. */
  readonly path: string;
  /** mmdebstrap's own. */
  readonly options: readonly string[];
}

/** RunError if mmdebstrap fails. */
export async function makeTree({ suite, path, options }: DebianTree, epoch_s: number): Promise<void> {
  const made = spawn("mmdebstrap", ["--quiet", ...options, ...aptOptions(), suite, path, ...mirrors(suite)], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch_s) },
  });
  const status = await new Promise<number | null>((resolve, reject) => {
    made.once("error", reject);
    made.once("close", resolve);
  });
  if (status !== 0) throw new RunError(`mmdebstrap ended with status ${status}: what it printed says why`);
}
