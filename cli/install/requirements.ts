// The list of what Trilane needs of a system (requirements.txt, where its columns are explained), and whether programs in it are
// there. The other checks of the list, those that compile something, are only in system_packages.sh.
import { accessSync, constants, readFileSync } from "node:fs";
import { join } from "node:path";

const requirementUses = ["build", "quic", "run", "test", "ci", "command", "more-tests", "bench"] as const;
export type RequirementUse = (typeof requirementUses)[number];

export interface Requirement {
  readonly use: RequirementUse;
  /** In Debian and Ubuntu. */
  readonly package: string;
  /** All of which it takes; none where more than a program is checked. */
  readonly programs: readonly string[];
  readonly why: string;
}

export function parseRequirements(text: string): Requirement[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [word, name, check, why, ...more] = line.split("|").map((cell) => cell.trim());
      const use = requirementUses.find((each) => each === word);
      if (!(use && name && check && why) || more.length > 0) throw new Error(`requirements.txt: not a row: ${line}`);
      return { use, package: name, programs: /^[@-]/.test(check) ? [] : check.split(" "), why };
    });
}

export const requirements: readonly Requirement[] = parseRequirements(
  readFileSync(join(import.meta.dirname, "requirements.txt"), "utf8"),
);

/** Whether a shell would find it, or root's shell: servers are in folders that not every user's path has. */
export function isInstalled(program: string, path = process.env.PATH ?? ""): boolean {
  return `${path}:/usr/sbin:/sbin`.split(":").some((folder) => {
    try {
      accessSync(join(folder || ".", program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Why something cannot be done without these programs, with the remedy; null: all are there. */
export function notInstalled(programs: readonly string[]): string | null {
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length === 0) return null;
  const packages = missing.map(
    (program) => requirements.find((each) => each.programs.includes(program))?.package ?? program,
  );
  return `not installed: ${missing.join(", ")} (apt install ${[...new Set(packages)].join(" ")})`;
}
