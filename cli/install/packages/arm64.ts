// `npm run packages -- --arm64`: the programs for 64-bit ARM, built on a machine of another kind by Debian's cross compiler, against the static
// libraries that Debian has for ARM (unpacked, not installed). Each program must start under qemu.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { RunError, UserError } from "../../base/errors.ts";
import { checkout } from "../../base/programs.ts";
import { version } from "../../base/version.ts";
import { notInstalled } from "../requirements.ts";
import { makeTree } from "./debian.ts";
import { linkedLibraries } from "./parts.ts";
import type { BuiltProgram, Target } from "./programs.ts";

const triplet = "aarch64-linux-gnu";
const rustTarget = "aarch64-unknown-linux-gnu";

export const toolsForArm64 = [`${triplet}-g++`, "qemu-aarch64-static", "mmdebstrap"] as const;

const root = join(checkout, "build", "arm64-root");
/** CMake looks for it, though no program has it inside. Of llhttp Debian 12 has no library: its source is compiled. */
const alsoNeeded = ["libcmocka-dev", "?exact-name(libllhttp-dev)"];
/** So that dpkg-query knows the versions of what was only unpacked. */
const noteVersions = `for deb in "$1"/var/cache/apt/archives/*.deb; do
  dpkg-deb --field "$deb" && printf 'Status: install ok installed\\n\\n'
done >"$1/var/lib/dpkg/status"`;

/** UserError if something is missing, with how to install it. */
function checkTools(): void {
  const lacking = notInstalled(toolsForArm64);
  if (lacking !== null) throw new UserError(`--arm64: ${lacking}`);
  const rust = execFileSync("bash", [join(checkout, "cli/install/find_rust.sh")], { encoding: "utf8" }).trim();
  const words = ["--print", "target-libdir", "--target", rustTarget];
  if (!existsSync(execFileSync(join(rust, "rustc"), words, { encoding: "utf8" }).trim()))
    throw new UserError(`--arm64: Rust has no library for it: rustup target add ${rustTarget}`);
}

/** With Debian's libraries of this machine's own release, made anew each time: its security updates go along. */
export async function arm64(epoch_s: number): Promise<Target> {
  checkTools();
  const suite = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
  if (suite === undefined) throw new UserError("--arm64 needs a release of Debian: /etc/os-release names none");
  rmSync(root, { recursive: true, force: true });
  const include = `--include=${[...linkedLibraries, ...alsoNeeded].join(",")}`;
  const options = ["--variant=extract", "--architectures=arm64", include, `--extract-hook=${noteVersions}`];
  await makeTree({ suite, path: root, options }, epoch_s);
  return {
    cpu: "arm64",
    build: "portable-arm64",
    binutils: `${triplet}-`,
    root,
    cmake: [
      "-DCMAKE_SYSTEM_NAME=Linux",
      "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
      `-DCMAKE_C_COMPILER=${triplet}-gcc`,
      `-DCMAKE_FIND_ROOT_PATH=${root}`,
    ],
    environment: {
      TRILANE_CROSS: triplet,
      PKG_CONFIG_SYSROOT_DIR: root,
      PKG_CONFIG_LIBDIR: `${root}/usr/lib/${triplet}/pkgconfig:${root}/usr/share/pkgconfig`,
    },
  };
}

/** RunError if one of them does not say its version. */
export function tryUnderQemu(programs: readonly BuiltProgram[]): void {
  for (const { name, path } of programs) {
    const words = ["-L", `/usr/${triplet}`, path, "--version"];
    const { status, stdout, stderr } = spawnSync("qemu-aarch64-static", words, { encoding: "utf8", timeout: 60_000 });
    if (status !== 0 || stdout !== `${name} ${version}\n`)
      throw new RunError(`${name} for arm64 does not start under qemu: ${stderr || stdout || `status ${status}`}`);
  }
}
