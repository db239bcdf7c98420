// The bundled command line: it says what the sources say, finds what it reads at run time, and keeps what a running command may yet load.
// Wide: cli/install/packages, cli/main.ts, cli/command_line.ts.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "../../../../cli/base/programs.ts";
import { bundleCommandLine, bundleStamp } from "../../../../cli/install/packages/bundle.ts";
import { tempFolder } from "../../../temp_folder.ts";

const root = tempFolder("trilane-bundle-");
mkdirSync(join(root, "build"));
for (const name of ["cli", "extension", "native-host", "schemas", "package.json", join("build", "native")])
  symlinkSync(join(checkout, name), join(root, name));
const out = join(root, "build", "cli");
await bundleCommandLine({ out, maps: false });

function run(main: string, words: readonly string[]) {
  const options = ["--disable-warning=ExperimentalWarning", main, ...words, "--home", join(root, "home")];
  const { status, stdout, stderr } = spawnSync(process.execPath, options, { encoding: "utf8", timeout: 60_000 });
  return { status, stdout, stderr };
}

for (const words of [
  ["--help"],
  ["race", "--help-all"],
  ["recording", "edit", "--help-all"],
  ["race", "shop", "--rnus", "3"],
  ["race", "shop", "--runs", "abc", "--json"],
  ["links", "--json"],
  ["synth", "--list"],
  ["completion", "bash"],
  ["sweep", "das-2014", "--dry-run", "--json"],
  ["export", "--format", "pdf"],
])
  test(`trilane ${words.join(" ")}: as from the sources`, () => {
    assert.deepEqual(run(join(out, "main.js"), words), run(join(checkout, "cli/main.ts"), words));
  });

test("nothing of it names this checkout, and it imports no package", () => {
  for (const name of readdirSync(out)) assert.ok(!name.endsWith(".map"), name);
  const text = readdirSync(out)
    .filter((name) => name.endsWith(".js"))
    .map((name) => spawnSync("cat", [join(out, name)], { encoding: "utf8" }).stdout)
    .join("\n");
  assert.ok(!text.includes(checkout));
  const packages = [...text.matchAll(/^(?:import|\} from) .*?"([^".][^"]*)";$/gm)].map(([, name = ""]) => name);
  assert.deepEqual(
    packages.filter(
      (name) =>
        !name.startsWith("node:") &&
        !/^(fs|path|os|url|util|http|https|net|tls|child_process|events|stream|crypto|zlib|readline|module|process|assert|buffer)(\/|$)/.test(
          name,
        ),
    ),
    [],
  );
});

test("made again, it keeps for a week what a running command may yet load, and notes when its sources were read", async () => {
  const [young, old] = [join(out, "young-AAAAAAAA.js"), join(out, "old-AAAAAAAA.js")];
  for (const path of [young, old]) writeFileSync(path, "");
  utimesSync(old, 0, 0);
  const before = Date.now();
  await bundleCommandLine({ out, maps: false });
  assert.deepEqual([existsSync(young), existsSync(old)], [true, false]);
  // This process imported the sources when it began.
  assert.ok(statSync(join(out, bundleStamp)).mtimeMs < before);
});
