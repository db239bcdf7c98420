// `npm run release -- X.Y.Z`: checks that the tree says it is X.Y.Z, runs all tests, builds the packages twice and compares them, tries the
// Debian package on bare machines (as root only), and tags. Pushes and publishes nothing: that is a person's to do. With --check it stops
// before the tests.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../../base/programs.ts";
import { notInstalled } from "../requirements.ts";
import { toolsForArm64 } from "./arm64.ts";

export interface Tree {
  /** What `git status --porcelain` prints. */
  readonly changed: string;
  readonly tags: readonly string[];
  readonly manifestVersion: string;
  readonly lockVersion: string;
  readonly changelog: string;
}

/** What keeps a tree from being released as `version`; empty if nothing does. */
export function releaseFaults(
  version: string,
  { changed, tags, manifestVersion, lockVersion, changelog }: Tree,
): string[] {
  const isVersion = /^\d+\.\d+\.\d+$/.test(version);
  if (!isVersion) return [`${JSON.stringify(version)} is no version: write it as 0.3.0`];
  const unreleased = /^## Unreleased\n([\s\S]*?)(?=^## )/m.exec(`${changelog}\n## `)?.[1] ?? "";
  return [
    ...(changed === "" ? [] : ["there are changes that are not committed: commit or stash them"]),
    ...(tags.includes(`v${version}`) ? [`v${version} is tagged already: release a later one`] : []),
    ...(manifestVersion === version ? [] : [`package.json says ${manifestVersion}: change it`]),
    ...(lockVersion === version ? [] : [`package-lock.json says ${lockVersion}: npm install --package-lock-only`]),
    ...(changelog.includes(`\n## ${version}\n`) ? [] : [`CHANGELOG.md has no heading "## ${version}": add it`]),
    ...(unreleased.trim() === "" ? [] : [`CHANGELOG.md has entries under "Unreleased": put them under ${version}`]),
  ];
}

const read = (name: string): string => readFileSync(join(checkout, name), "utf8");
const output = (program: string, ...words: string[]): string =>
  spawnSync(program, words, { cwd: checkout, encoding: "utf8" }).stdout.trimEnd();
const versionOf = (name: string): string => (JSON.parse(read(name)) as { version: string }).version;

/** False if it failed; it has said why. */
function passes(...words: readonly string[]): boolean {
  const [program = "", ...rest] = words;
  console.error(`release: ${words.join(" ")}`);
  return spawnSync(program, rest, { cwd: checkout, stdio: "inherit" }).status === 0;
}

function release(version: string, isCheckOnly: boolean): string | null {
  const faults = releaseFaults(version, {
    changed: output("git", "status", "--porcelain"),
    tags: output("git", "tag").split("\n"),
    manifestVersion: versionOf("package.json"),
    lockVersion: versionOf("package-lock.json"),
    changelog: read("CHANGELOG.md"),
  });
  const lacking = notInstalled(toolsForArm64);
  if (lacking !== null) faults.push(lacking);
  if (faults.length > 0) return faults.join("; ");
  if (isCheckOnly) {
    console.log(`${version} can be tested, built and tagged: leave out --check`);
    return null;
  }
  const sums: string[] = [];
  if (!passes("npm", "test")) return "tests failed";
  for (const _ of ["once", "again"]) {
    if (!passes("npm", "run", "packages", "--", "--arm64", "--image")) return "the packages were not built";
    sums.push(read("build/packages/SHA256SUMS"));
  }
  if (sums[0] !== sums[1]) return "the packages differ when they are built again";
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) console.error("release: the Debian package is not tried on bare machines: that needs root");
  else if (!passes("npm", "run", "bench", "--", "fresh", "--command", "deb")) return "the Debian package failed";
  if (!passes("git", "tag", "--annotate", `v${version}`, "--message", `Trilane ${version}`)) return "not tagged";
  console.log(`v${version} is tagged. To publish: git push origin v${version}, and hand out what is in build/packages`);
  return null;
}

if (import.meta.main) {
  const words = process.argv.slice(2);
  const refused = release(words.find((word) => word !== "--check") ?? "", words.includes("--check"));
  if (refused !== null) console.error(`release: ${refused}`);
  process.exitCode = refused === null ? 0 : 1;
}
