// The npm packages: `trilane` with the bundle and what it reads at run time, where a checkout has it, and the programs of one platform. No
// install scripts, no dependencies but the platform's package.
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sourcesDigest } from "../../base/built_from.ts";
import { checkout } from "../../base/programs.ts";
import { version } from "../../base/version.ts";
import { buildExtension, builtExtension, builtForFirefox } from "../extension.ts";
import { bundleCommandLine, bundleStamp } from "./bundle.ts";
import type { BuiltProgram, Target } from "./programs.ts";

/** What the bundle reads at run time, as patterns of paths. */
export const readFiles = [
  "cli/**/*.{json,js,css}",
  "cli/**/live_lab.sh",
  "cli/load/servers/templates/*",
  "cli/api/types.d.ts",
  "cli/install/{apparmor.profile,ci_gate.sh,limits.conf,requirements.txt,seccomp.json,system_packages.sh}",
  "extension/figures/look.css",
  "native-host/base/debug.h",
  "schemas/*.{json,sql}",
  "schemas/migrations/results_10.sql",
  "schemas/migrations/results/*",
  "LICENSE",
  "README.md",
];

const launcher = `#!/bin/sh
# Starts Trilane with the Node that its package brings, or the system's.
here=$(readlink -f "$0")
root=\${here%/cli/trilane}
node=$root/node/bin/node
[ -x "$node" ] || node=$(command -v node) || {
  echo "trilane: no Node: install Node 22.13 or newer" >&2
  exit 2
}
# Its own folder may be root's, and must hold what was installed and no more.
: "\${NODE_COMPILE_CACHE=\${XDG_CACHE_HOME:-\${HOME:-/nonexistent}/.cache}/trilane/compiled}"
export NODE_COMPILE_CACHE
exec "$node" "$root/build/cli/main.js" "$@"
`;

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true });
}

const manifest = (fields: object): string => {
  const { description, license } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as Record<
    string,
    string
  >;
  return `${JSON.stringify({ version, description, license, os: ["linux"], ...fields }, null, 2)}\n`;
};

export const programsPackage = (cpu: Target["cpu"]): string => `trilane-linux-${cpu}`;

/** Trilane without its programs, as a folder. Gives the npm packages in its bundle. */
export async function stageTrilane(stage: string): Promise<string[]> {
  const packages = await bundleCommandLine({ out: join(stage, "build", "cli"), maps: false });
  rmSync(join(stage, "build", "cli", bundleStamp));
  for (const path of globSync(readFiles, { cwd: checkout })) copy(join(checkout, path), join(stage, path));
  for (const firefox of [false, true]) await buildExtension({ firefox });
  copy(builtExtension, join(stage, "build", "extension"));
  copy(builtForFirefox, join(stage, "build", "extension-firefox"));
  for (const file of ["package.json", "LICENSE.md", "dist/modern/umd/dash.mediaplayer.min.js"])
    copy(join(checkout, "node_modules/dashjs", file), join(stage, "build/dashjs", file));
  writeFileSync(join(stage, "cli", "trilane"), launcher);
  chmodSync(join(stage, "cli", "trilane"), 0o755);
  writeFileSync(
    join(stage, "package.json"),
    manifest({
      name: "trilane",
      type: "module",
      exports: {
        ".": { types: "./cli/api/types.d.ts", default: "./build/cli/lab.js" },
        "./package.json": "./package.json",
      },
      bin: { trilane: "cli/trilane" },
      engines: { node: ">=22.13" },
      optionalDependencies: { [programsPackage("x64")]: version, [programsPackage("arm64")]: version },
    }),
  );
  return packages;
}

/** trilane-host starts the command line of its own folder: here that of the package beside it, or around it. */
const neighbour = `#!/bin/sh
here=$(readlink -f "$0")
here=\${here%/cli/trilane}
for each in "$here/../trilane" "$here/../.."; do
  [ -x "$each/cli/trilane" ] && exec "$each/cli/trilane" "$@"
done
echo "trilane: the package trilane is not beside $here: install it again" >&2
exit 2
`;

/** The programs of one kind of machine, as a folder. */
export function stagePrograms(stage: string, cpu: Target["cpu"], programs: readonly BuiltProgram[]): void {
  for (const { name, folder, path } of programs) {
    const to = join(stage, "build", "native", folder, name);
    copy(path, to);
    chmodSync(to, 0o755);
  }
  writeFileSync(join(stage, "build", "native", "built-from"), `${sourcesDigest(checkout)}\n`);
  mkdirSync(join(stage, "cli"));
  writeFileSync(join(stage, "cli", "trilane"), neighbour, { mode: 0o755 });
  const name = programsPackage(cpu);
  writeFileSync(join(stage, "package.json"), manifest({ name, cpu: [cpu], libc: ["glibc"] }));
}
