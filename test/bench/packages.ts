// What `npm run packages` made, on machines that nobody prepared: sizes, and from an empty root of Debian to the table of a race, as root and as an
// ordinary user (test/fresh). `--only sizes` or `roots`. Needs root and mmdebstrap for the roots; Ubuntu's archive is another and is not tried.
import { execFile } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { UserError } from "../../cli/base/errors.ts";
import { checkout } from "../../cli/base/programs.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";

const folder = join(checkout, "build", "packages");
const megabyte = 1e6;

/** Patterns of files, and what those of one line may have together, in MB. */
const sizes = [
  { name: "npm packages, x64", files: ["trilane-[0-9]*.[0-9].tgz", "trilane-linux-x64-*.tgz"], bar: 10 },
  { name: "npm packages, arm64", files: ["trilane-[0-9]*.[0-9].tgz", "trilane-linux-arm64-*.tgz"], bar: 10 },
  { name: "Debian package", files: ["*.deb"], bar: 40 },
  { name: "image", files: ["*-image.tar"], bar: 400 },
];

/** Commands of test/fresh, the roots that they are for, and what they may take until the race's table, in seconds. */
const ways = [
  { command: "deb", roots: "debian-12-bare,debian-13-bare", bar_s: 60 },
  { command: "npm", roots: "debian-12-minimal,debian-13-minimal", bar_s: 20 },
];
const versionBar_ms = 60;

interface FreshRow {
  readonly root: string;
  readonly user: string;
  readonly passed: boolean;
  readonly last: string;
}

function sizesOf(say: (line: string) => void): Measurement[] {
  return sizes.flatMap(({ name, files, bar }) => {
    const found = files.flatMap((pattern) => globSync(pattern, { cwd: folder }));
    if (found.length < files.length) {
      say(`${name}: not in build/packages: run \`npm run packages\` (with -- --arm64 --image)`);
      return [];
    }
    const bytes = found.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
    return [measurement(name, [bytes / megabyte], bar, { unit: "MB" })];
  });
}

async function freshRows(command: string, roots: string): Promise<readonly FreshRow[]> {
  const words = [join(checkout, "test", "bench", "main.ts"), "fresh", "--command", command, "--root", roots, "--json"];
  const ran = promisify(execFile)(process.execPath, words, { maxBuffer: 2 ** 24 });
  // With a row that failed its status is 1, and the rows are printed all the same.
  const { stdout, stderr } = await ran.catch((error: { stdout: string; stderr: string }) => error);
  if (!stdout.startsWith("{")) throw new UserError(stderr.trim().split("\n").at(-1) ?? "test/fresh printed nothing");
  return (JSON.parse(stdout) as { readonly rows: readonly FreshRow[] }).rows;
}

async function onRoots(say: (line: string) => void): Promise<{ measurements: Measurement[]; rows: FreshRow[] }> {
  const measurements: Measurement[] = [];
  const rows: FreshRow[] = [];
  for (const { command, roots, bar_s } of ways)
    for (const row of await freshRows(command, roots)) {
      rows.push(row);
      const where = `${command} on ${row.root} as ${row.user}`;
      say(`${where}: ${row.last}`);
      const raced_s = /raced after (\d+) s/.exec(row.last)?.[1];
      // A way that failed misses its bar.
      const time_ms = row.passed && raced_s !== undefined ? Number(raced_s) * 1000 : Number.POSITIVE_INFINITY;
      measurements.push(measurement(`${where}: to the table`, [time_ms], bar_s * 1000));
      const [, own, node] = /--version computes ([\d.]+) ms \(node alone ([\d.]+) ms\)/.exec(row.last) ?? [];
      if (own !== undefined && node !== undefined)
        measurements.push(measurement(`${where}: --version beyond node`, [Number(own) - Number(node)], versionBar_ms));
    }
  return { measurements, rows };
}

export const bench: Bench = async (say, only) => {
  const sized = only === "roots" ? [] : sizesOf(say);
  if (only === "sizes") return sized;
  const { measurements, rows } = await onRoots(say);
  return { measurements: [...sized, ...measurements], details: { rows } };
};
