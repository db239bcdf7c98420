// What others wrote and packages bring: npm packages in the bundle, crates and system libraries in the programs. As a CycloneDX list, and
// as the texts of their licences, which ask to go along. RunError if one has no text.
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { RunError } from "../../base/errors.ts";
import { checkout } from "../../base/programs.ts";
import { version } from "../../base/version.ts";

export interface Part {
  readonly kind: "npm" | "cargo" | "deb";
  readonly name: string;
  readonly version: string;
  readonly licences: readonly string[];
}

/** Those whose archives are linked in, by their package of Debian. */
export const linkedLibraries = [
  ...["libbrotli-dev", "libidn2-dev", "libjansson-dev", "libpsl-dev", "libsqlite3-dev", "libunistring-dev"],
  ...["libzstd-dev", "zlib1g-dev"],
] as const;
/** Compiled with the programs: one of them, by the release of Debian. */
const compiledLibraries = ["libllhttp-dev", "node-llhttp"] as const;

const licenceFiles = (folder: string): string[] =>
  globSync("{LICENSE,LICENCE,COPYING,NOTICE,License,license}*", { cwd: folder })
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8"));

function npmPart(folder: string): Part {
  const path = join(checkout, folder);
  const {
    name,
    version: of,
    license,
  } = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as Record<string, string>;
  const texts = licenceFiles(path);
  // Some name their licence in package.json only.
  return {
    kind: "npm",
    name: name ?? folder,
    version: of ?? "",
    licences: texts.length > 0 || !license ? texts : [license],
  };
}

/** Crates that have another's library in one of their folders. */
const broughtLibraries: Readonly<Record<string, string>> = {
  "boring-sys": "deps/boringssl",
  "libnghttp2-sys": "nghttp2",
};

function crates(): Part[] {
  const lock = readFileSync(join(checkout, "native-host/quic/Cargo.lock"), "utf8");
  const registry = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry/src");
  return [...lock.matchAll(/^name = "([^"]+)"\nversion = "([^"]+)"\nsource = /gm)].flatMap(([, name = "", of = ""]) => {
    const [folder] = globSync(`*/${name}-${of}`, { cwd: registry });
    // Those of other platforms are in the lock only.
    if (folder === undefined) return [];
    const path = join(registry, folder);
    const library = broughtLibraries[name];
    const inside = library === undefined ? [] : licenceFiles(join(path, library));
    const [, declared] = /^license = "([^"]+)"$/m.exec(readFileSync(join(path, "Cargo.toml"), "utf8")) ?? [];
    const texts = [...licenceFiles(path), ...inside];
    return [
      { kind: "cargo", name, version: of, licences: texts.length > 0 || !declared ? texts : [declared] } as const,
    ];
  });
}

/** Rust's own library, which rustc links into every program: its licences as rustup has them, or Debian. */
function rustLibrary(): Part {
  const folder = execFileSync("bash", [join(checkout, "cli/install/find_rust.sh")], { encoding: "utf8" }).trim();
  const rustc = (...words: string[]) => execFileSync(join(folder, "rustc"), words, { encoding: "utf8" }).trim();
  const [, of = ""] = /^rustc (\S+)/.exec(rustc("--version")) ?? [];
  const [path] = [
    ...globSync(join(rustc("--print", "sysroot"), "share/doc/rust/COPYRIGHT-library.html")),
    ...globSync("/usr/share/doc/libstd-rust*-dev/copyright"),
  ];
  const text = path === undefined ? "" : readFileSync(path, "utf8").replaceAll(/<[^>]*>/g, "");
  return { kind: "cargo", name: "std", version: of, licences: text === "" ? [] : [text] };
}

/** `root`: where they lie, "" if this machine has them. */
function systemLibraries(names: readonly string[], root: string): Part[] {
  const query = (name: string): string | null => {
    try {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own form
      return execFileSync("dpkg-query", [`--admindir=${root}/var/lib/dpkg`, "-W", "-f", "${Version}", name], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
    } catch {
      return null;
    }
  };
  return names.flatMap((name): Part[] => {
    const of = query(name);
    if (of === null || of === "") return [];
    const licence = readFileSync(`${root}/usr/share/doc/${name}/copyright`, "utf8");
    return [{ kind: "deb", name, version: of, licences: [licence] }];
  });
}

/** `npmFolders`: as bundleCommandLine gives them. `root`: as in Target. */
export function partsOf(npmFolders: readonly string[], root: string): Part[] {
  const inPrograms = [
    ...crates(),
    rustLibrary(),
    ...systemLibraries(linkedLibraries, root),
    ...systemLibraries(compiledLibraries, ""),
  ];
  const parts = [...[...npmFolders, "node_modules/dashjs"].map(npmPart), ...inPrograms];
  const without = parts.find(({ licences }) => licences.length === 0);
  if (without)
    throw new RunError(`${without.name} ${without.version}: no licence found: see what it may be shipped under`);
  return parts;
}

export function licenceText(parts: readonly Part[]): string {
  const line = "=".repeat(80);
  const text = ({ name, version: of, licences }: Part): string =>
    `${line}\n${name} ${of}\n${line}\n${licences.join("\n\n")}`;
  return `Trilane brings these parts of others, each under its own licence.\n\n${parts.map(text).join("\n\n")}\n`;
}

/** CycloneDX 1.6, with neither date nor serial number: the same parts, the same bytes. */
export function billOfMaterials(parts: readonly Part[]): string {
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", name: "trilane", version } },
    components: parts.map(({ kind, name, version: of }) => ({
      type: "library",
      name,
      version: of,
      purl: `pkg:${kind}${kind === "deb" ? "/debian" : ""}/${name.replace("@", "%40")}@${of}`,
    })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
