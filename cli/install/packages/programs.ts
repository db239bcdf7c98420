// The C programs as packages bring them: built into build/portable with all libraries but glibc's and the compiler's inside, and
// refused if they would need another library, or a glibc newer than that of Debian 12, Ubuntu 22.04 and RHEL 9.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { RunError } from "../../base/errors.ts";
import { checkout, programFolders } from "../../base/programs.ts";

const newestGlibc = [2, 34] as const;
const sharedLibraries = /^(libc|libm|libresolv|libgcc_s|libstdc\+\+|ld-linux-[\w-]+)\.so\.\d+$/;

/** A kind of machine that programs are built for. */
export interface Target {
  /** As npm calls it. */
  readonly cpu: "x64" | "arm64";
  /** Below build/. */
  readonly build: string;
  /** Before the names of its binutils. */
  readonly binutils: string;
  /** Where its libraries lie: "" if the system has them. */
  readonly root: string;
  readonly cmake: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

export const x64: Target = { cpu: "x64", build: "portable", binutils: "", root: "", cmake: [], environment: {} };

export interface BuiltProgram {
  readonly name: string;
  /** In build/native, and in packages. */
  readonly folder: string;
  readonly path: string;
}

/** What is wrong with what `objdump -p` says of a program; empty if nothing is. */
export function unportable(objdump: string): string[] {
  const libraries = [...objdump.matchAll(/^ +NEEDED +(\S+)$/gm)].map(([, name = ""]) => name);
  const versions = [...objdump.matchAll(/\bGLIBC_(\d+)\.(\d+)/g)].map(([, major, minor]) => [
    Number(major),
    Number(minor),
  ]);
  const tooNew = versions.filter(
    ([major = 0, minor = 0]) => major > newestGlibc[0] || (major === newestGlibc[0] && minor > newestGlibc[1]),
  );
  return [
    ...libraries
      .filter((name) => !sharedLibraries.test(name))
      .map((name) => `needs ${name}, which systems may not have`),
    ...new Set(tooNew.map((version) => `needs glibc ${version.join(".")}, newer than ${newestGlibc.join(".")}`)),
  ];
}

/** Builds them. RunError if one is not portable. */
export function buildPrograms({ build, binutils, cmake, environment }: Target): BuiltProgram[] {
  const folder = join(checkout, "build", build);
  const env = { ...process.env, ...environment };
  const run = (program: string, words: readonly string[]) =>
    execFileSync(program, words, { env, stdio: ["ignore", "ignore", "inherit"] });
  const quic = execFileSync("bash", [join(checkout, "cli/install/quic_folder.sh")], { env, encoding: "utf8" }).trim();
  const options = [`-DTRILANE_QUIC=${quic}`, "-DTRILANE_PORTABLE=ON", ...cmake];
  run("cmake", ["-S", join(checkout, "native-host"), "-B", folder, "-G", "Ninja", ...options]);
  run("ninja", ["-C", folder, ...programFolders.map(([name]) => name)]);
  return programFolders.map(([name, place]) => {
    const path = join(folder, place, name);
    const found = unportable(execFileSync(`${binutils}objdump`, ["-p", path], { encoding: "utf8" }));
    if (found.length > 0) throw new RunError(`${name}: ${found.join("; ")}`);
    return { name, folder: place, path };
  });
}
