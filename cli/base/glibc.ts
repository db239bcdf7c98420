// Whether this system's C library runs the programs that packages bring. Those of a checkout are built for what it has.

/** Of Debian 12, Ubuntu 22.04 and RHEL 9. */
const neededGlibc = [2, 34] as const;

/** Why they do not run with this version of glibc; undefined: another C library. null: they do. */
export function libraryFault(version: string | undefined): string | null {
  const remedy = "use Debian 12, Ubuntu 22.04, RHEL 9 or newer, or Trilane's container image";
  const needed = neededGlibc.join(".");
  if (version === undefined)
    return `this system has no glibc (as Alpine), and Trilane's programs need ${needed}: ${remedy}`;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > neededGlibc[0] || (major === neededGlibc[0] && minor >= neededGlibc[1])) return null;
  return `this system's glibc is ${version}, and Trilane's programs need ${needed} or newer: ${remedy}`;
}

let found: string | null | undefined;

/** Of this system: Node says what it runs with. Looks once. */
export function ownLibraryFault(): string | null {
  if (found !== undefined) return found;
  // Else it looks up names of addresses.
  Object.assign(process.report, { excludeNetwork: true });
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  found = libraryFault(header?.glibcVersionRuntime);
  return found;
}
