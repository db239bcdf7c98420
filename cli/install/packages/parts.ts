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
const linked = ["libbrotli-dev", "libidn2-dev", "libjansson-dev", "libpsl-dev", "libsqlite3-dev", "libunistring-dev"];
const alsoLinked = ["libzstd-dev", "zlib1g-dev"];
const headed = ["libllhttp-dev", "node-llhttp"];

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

function crates(): Part[] {
  const lock = readFileSync(join(checkout, "native-host/quic/Cargo.lock"), "utf8");
  const registry = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry/src");
  return [...lock.matchAll(/^name = "([^"]+)"\nversion = "([^"]+)"\nsource = /gm)].flatMap(([, name = "", of = ""]) => {
    const [folder] = globSync(`*/${name}-${of}`, { cwd: registry });
    // Those of other platforms are in the lock only.
    if (folder === undefined) return [];
    const path = join(registry, folder);
    const inside = name === "boring-sys" ? licenceFiles(join(path, "deps/boringssl")) : [];
    const [, declared] = /^license = "([^"]+)"$/m.exec(readFileSync(join(path, "Cargo.toml"), "utf8")) ?? [];
    const texts = [...licenceFiles(path), ...inside];
    return [
      { kind: "cargo", name, version: of, licences: texts.length > 0 || !declared ? texts : [declared] } as const,
    ];
  });
}

function systemLibraries(): Part[] {
  const query = (name: string): string | null => {
    try {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own form
      return execFileSync("dpkg-query", ["-W", "-f", "${Version}", name], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
    } catch {
      return null;
    }
  };
  return [...linked, ...alsoLinked, ...headed].flatMap((name): Part[] => {
    const of = query(name);
    if (of === null || of === "") return [];
    return [{ kind: "deb", name, version: of, licences: [readFileSync(`/usr/share/doc/${name}/copyright`, "utf8")] }];
  });
}

/** `npmFolders`: as bundleCommandLine gives them. */
export function partsOf(npmFolders: readonly string[]): Part[] {
  const parts = [...[...npmFolders, "node_modules/dashjs"].map(npmPart), ...crates(), ...systemLibraries()];
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
