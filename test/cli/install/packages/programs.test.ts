// What packages may bring: programs that run on every system that the packages are for, found where a package has them.
import assert from "node:assert/strict";
import { chmodSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout, programPath } from "../../../../cli/base/programs.ts";
import { tryUnderQemu } from "../../../../cli/install/packages/arm64.ts";
import { readFiles, stagePrograms } from "../../../../cli/install/packages/npm_packages.ts";
import { billOfMaterials, licenceText } from "../../../../cli/install/packages/parts.ts";
import { unportable } from "../../../../cli/install/packages/programs.ts";
import { isInstalled } from "../../../../cli/install/requirements.ts";
import { tempFolder } from "../../../temp_folder.ts";

const root = tempFolder("trilane-programs-");

const objdump = (libraries: readonly string[], versions: readonly string[]): string =>
  [
    "Dynamic Section:",
    ...libraries.map((name) => `  NEEDED               ${name}`),
    "Version References:",
    ...versions.map((version) => `    0x069691b4 0x00 04 ${version}`),
  ].join("\n");

test("a program that needs a library of its own, or a glibc newer than 2.34, is named with what it needs", () => {
  const usual = ["libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "ld-linux-x86-64.so.2"];
  assert.deepEqual(unportable(objdump(usual, ["GLIBC_2.2.5", "GLIBC_2.34", "GLIBCXX_3.4.20"])), []);
  assert.deepEqual(unportable(objdump([...usual, "libsqlite3.so.0"], ["GLIBC_2.36", "GLIBC_2.36", "GLIBC_3.0"])), [
    "needs libsqlite3.so.0, which systems may not have",
    "needs glibc 2.36, newer than 2.34",
    "needs glibc 3.0, newer than 2.34",
  ]);
});

test("a package of programs is for one kind of machine, and npm installs it on no other", () => {
  const [stage, path] = [join(root, "arm64"), join(root, "built")];
  mkdirSync(stage);
  writeFileSync(path, "of arm64");
  stagePrograms(stage, "arm64", [{ name: "trilane-shaper", folder: "shaper", path }]);
  const { name, os, cpu, libc } = JSON.parse(readFileSync(join(stage, "package.json"), "utf8"));
  assert.deepEqual(
    { name, os, cpu, libc },
    { name: "trilane-linux-arm64", os: ["linux"], cpu: ["arm64"], libc: ["glibc"] },
  );
  assert.equal(readFileSync(join(stage, "build/native/shaper/trilane-shaper"), "utf8"), "of arm64");
});

test("the package has each file of schemas that the command line reads, and all files of folders of them", () => {
  const packed = new Set(globSync([...readFiles], { cwd: checkout }));
  const read = globSync("cli/**/*.ts", { cwd: checkout })
    .flatMap((path) => [
      ...readFileSync(join(checkout, path), "utf8").matchAll(/join\(checkout, ("schemas"(?:, "[\w.]+")*)/g),
    ])
    .map(([, words = ""]) => join(...(JSON.parse(`[${words}]`) as string[])));
  const isFile = (path: string): boolean => statSync(join(checkout, path)).isFile();
  const files = read.flatMap((path) => (isFile(path) ? path : globSync(`${path}/*`, { cwd: checkout }).filter(isFile)));
  assert.ok(files.includes("schemas/migrations/results/0011.sql") && files.includes("schemas/results.sql"));
  assert.deepEqual(
    files.filter((path) => !packed.has(path)),
    [],
  );
});

test("a program for arm64 that does not say its version under qemu is named", {
  skip: !isInstalled("qemu-aarch64-static"),
}, () => {
  const path = join(root, "no-program");
  writeFileSync(path, "no ELF");
  chmodSync(path, 0o755);
  const name = "trilane-shaper";
  assert.throws(
    () => tryUnderQemu([{ name, folder: "shaper", path }]),
    /^RunError: trilane-shaper for arm64 does not start/,
  );
});

test("TRILANE_PROGRAMS names the folder of programs; what is not there is said with the path", () => {
  const folder = join(root, "replay");
  mkdirSync(folder);
  const environment = { TRILANE_PROGRAMS: root };
  const path = join(folder, "trilane-replay");
  const refused = {
    name: "UserError",
    message: `no program at ${path} (TRILANE_PROGRAMS): name a folder as build/native, or unset it`,
  };
  assert.throws(() => programPath("trilane-replay", environment), refused);
  writeFileSync(path, "");
  chmodSync(path, 0o755);
  assert.equal(programPath("trilane-replay", environment), path);
});

test("the list of parts names each with its version, and their licences go along; no date is in either", () => {
  const parts = [
    { kind: "npm", name: "@a/b", version: "1.0.0", licences: ["Licence of b"] },
    { kind: "deb", name: "libc-dev", version: "2:3", licences: ["Licence of c"] },
  ] as const;
  const { components, ...bill } = JSON.parse(billOfMaterials(parts)) as { components: { purl: string }[] };
  assert.deepEqual(
    components.map(({ purl }) => purl),
    ["pkg:npm/%40a/b@1.0.0", "pkg:deb/debian/libc-dev@2:3"],
  );
  assert.doesNotMatch(JSON.stringify(bill), /timestamp|serialNumber/);
  for (const text of ["@a/b 1.0.0", "Licence of b", "libc-dev 2:3", "Licence of c"])
    assert.ok(licenceText(parts).includes(text), text);
});
