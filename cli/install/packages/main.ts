// `npm run packages`: builds what people install without a compiler into build/packages: the npm packages, the Debian package, the
// extension's zip, the source, the list of parts, and the sums of all; with --arm64 the programs for 64-bit ARM, with --image a container's image,
// too. The same commit gives the same bytes. Publishes nothing.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { explain, UserError } from "../../base/errors.ts";
import { formatSize } from "../../base/numbers.ts";
import { checkout } from "../../base/programs.ts";
import { textTable } from "../../base/text_table.ts";
import { version } from "../../base/version.ts";
import { buildExtension, builtExtension, builtForFirefox } from "../extension.ts";
import { zipExtension } from "../package.ts";
import { arm64, tryUnderQemu } from "./arm64.ts";
import { makeDeb } from "./deb.ts";
import { makeImage } from "./image.ts";
import { programsPackage, stagePrograms, stageTrilane } from "./npm_packages.ts";
import { billOfMaterials, licenceText, type Part, partsOf } from "./parts.ts";
import { buildPrograms, type Target, x64 } from "./programs.ts";

const out = join(checkout, "build", "packages");

/** Sorted, of one date, root's; `name`: what its folder is called inside. */
function tar(folder: string, name: string, path: string, epoch_s: number): void {
  const options = [
    "--sort=name",
    `--mtime=@${epoch_s}`,
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "--mode=u=rwX,go=rX",
  ];
  const words = [...options, "--format=ustar", `--transform=s,^\\.,${name},`, "-C", folder, "-cf", "-", "."];
  const archive = execFileSync("tar", words, { maxBuffer: 2 ** 30 });
  writeFileSync(path, execFileSync("gzip", ["-9n"], { input: archive, maxBuffer: 2 ** 30 }));
}

/** In pieces: an image is larger than a buffer should be. */
async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

const git = (...words: string[]): Buffer => execFileSync("git", words, { cwd: checkout, maxBuffer: 2 ** 30 });

const switches = ["--arm64", "--image"] as const;

/** Nothing of an earlier build stays there. */
async function makePackages(wanted: readonly string[]): Promise<void> {
  const epoch_s = Number(process.env.SOURCE_DATE_EPOCH ?? git("log", "-1", "--format=%ct").toString());
  mkdirSync(out, { recursive: true });
  for (const name of readdirSync(out)) rmSync(join(out, name), { recursive: true });
  const work = mkdtempSync(join(checkout, "build", "packages-"));
  const folder = (name: string): string => {
    mkdirSync(join(work, name));
    return join(work, name);
  };
  try {
    const trilane = folder("trilane");
    const npmFolders = await stageTrilane(trilane);
    /** Of the same version and licence texts, whatever they are in. */
    const parts = new Map<string, Part>();
    const pack = (stage: string, name: string, { root }: Target): string => {
      const inside = partsOf(npmFolders, root);
      for (const part of inside) parts.set(`${part.kind} ${part.name} ${part.version}`, part);
      const licences = licenceText(inside);
      writeFileSync(join(stage, "THIRD-PARTY.txt"), licences);
      cpSync(join(checkout, "LICENSE"), join(stage, "LICENSE"));
      tar(stage, "package", join(out, `${name}-${version}.tgz`), epoch_s);
      return licences;
    };
    const packPrograms = (target: Target): string => {
      const stage = folder(target.cpu);
      const programs = buildPrograms(target);
      if (target.cpu === "arm64") tryUnderQemu(programs);
      stagePrograms(stage, target.cpu, programs);
      pack(stage, programsPackage(target.cpu), target);
      return stage;
    };
    const licences = pack(trilane, "trilane", x64);
    const programs = packPrograms(x64);
    if (wanted.includes("--arm64")) packPrograms(await arm64(epoch_s));
    const deb = await makeDeb({ trilane, programs, licences, work: folder("deb"), out, epoch_s });
    for (const firefox of [false, true]) await buildExtension({ firefox });
    writeFileSync(join(out, `trilane-extension-${version}.zip`), zipExtension(builtExtension));
    writeFileSync(join(out, `trilane-extension-firefox-${version}.zip`), zipExtension(builtForFirefox));
    const source = git("archive", `--prefix=trilane-${version}/`, "HEAD");
    writeFileSync(
      join(out, `trilane-${version}-source.tar.gz`),
      execFileSync("gzip", ["-9n"], { input: source, maxBuffer: 2 ** 30 }),
    );
    writeFileSync(join(out, "bom.cdx.json"), billOfMaterials([...parts.values()]));
    if (wanted.includes("--image")) await makeImage(deb, folder("image"), out, epoch_s);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const files = readdirSync(out).toSorted();
  const sums = await Promise.all(files.map(async (name) => [await sha256Of(join(out, name)), name]));
  writeFileSync(join(out, "SHA256SUMS"), sums.map((row) => `${row.join("  ")}\n`).join(""));
  for (const line of textTable([
    ["in build/packages", "size"],
    ...files.map((name) => [name, formatSize(statSync(join(out, name)).size)]),
  ]))
    console.log(line);
}

try {
  const words = process.argv.slice(2);
  const unknown = words.find((word) => !switches.some((each) => each === word));
  if (unknown !== undefined)
    throw new UserError(`no word ${JSON.stringify(unknown)} of packages: use ${switches.join(", ")} or nothing`);
  await makePackages(words);
} catch (error) {
  const explained = explain(error);
  if (!explained) throw error;
  console.error(`packages: ${explained.line}`);
  process.exitCode = explained.status;
}
