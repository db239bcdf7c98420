// The lines by which quiche calls our congestion controllers: where they go, that another quiche is left as it is, and
// what is built of either. Builds nothing: cargo is a script that says what it was told.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "../../../cli/base/programs.ts";
import { notInstalled } from "../../../cli/install/requirements.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-quiche-lines-");
/** Set-up installs it to build quiche, so not where a build is cached. */
const skip = notInstalled(["python3"]) ?? false;
const ours = join(checkout, "native-host", "quic", "quiche");

/** A quiche of two files, and lines for it in the folder of a crate. */
function make(version: string, library = "one\ntwo\nthree\n") {
  const root = mkdtempSync(join(folder, "case-"));
  const lines = join(root, "crate", "quiche");
  const quiche = join(root, "quiche");
  mkdirSync(lines, { recursive: true });
  mkdirSync(join(quiche, "src", "recovery", "congestion"), { recursive: true });
  writeFileSync(join(quiche, "Cargo.toml"), `[package]\nname = "quiche"\nversion = "${version}"\n`);
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
  const files = { "src/lib.rs": "one\ntwo\nthree\n", "src/recovery/mod.rs": "four\n" };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(quiche, name), text);
  writeFileSync(join(quiche, "src/lib.rs"), library);
  const [first, second] = Object.entries(files).map(([name, text]) => `file ${name} ${sha256(text)}`);
  writeFileSync(join(lines, "1.2.3.lines"), `# words\n${second}\n1 after four\n${first}\n2     after two\n`);
  writeFileSync(join(lines, "controller.rs"), "controller\n");
  return { root, lines, quiche };
}

function insert(version: string, library?: string) {
  const { lines, quiche } = make(version, library);
  const run = spawnSync("python3", [join(checkout, "cli/install/quiche_lines.py"), lines, quiche], {
    encoding: "utf8",
  });
  const read = (name: string): string => readFileSync(join(quiche, name), "utf8");
  const added = existsSync(join(quiche, "src/recovery/congestion/controller.rs"));
  return { run, read, added };
}

const lock = `[[package]]
name = "octets"
source = "registry"
checksum = "1"

[[package]]
name = "quiche"
version = "1.2.3"
source = "registry"
checksum = "2"
dependencies = [
 "octets",
]
`;

/** quiche_build.sh with a cargo that builds nothing. */
function build(version: string) {
  const { root, quiche } = make(version);
  const [crate, work, bin] = ["crate", "work", "bin"].map((name) => join(root, name)) as [string, string, string];
  for (const made of [join(crate, "src"), bin]) mkdirSync(made, { recursive: true });
  writeFileSync(join(crate, "Cargo.toml"), "");
  writeFileSync(join(crate, "Cargo.lock"), lock);
  const metadata = JSON.stringify({
    packages: [{ name: "octets" }, { name: "quiche", manifest_path: join(quiche, "Cargo.toml") }],
  });
  const cargo = `[ "$1" != metadata ] || echo '${metadata}'; [ "$1" != build ] || printf '%s\\n' "$@"`;
  for (const [name, script] of Object.entries({ cargo, rustc: "echo host: here" }))
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const { status, stderr } = spawnSync("bash", [join(checkout, "cli/install/quiche_build.sh"), crate, work], {
    encoding: "utf8",
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
  });
  assert.equal(status, 0, stderr);
  const read = (name: string): string => readFileSync(join(work, name), "utf8");
  const without = existsSync(join(work, "without")) ? read("without") : null;
  return { work, words: read("messages.json").split("\n"), lock: read("crate/Cargo.lock"), without, read };
}

test("the quiche that the lines fit is built as a copy with them; all else is as the lock file has it", {
  skip,
}, () => {
  const { work, words, lock: used, without, read } = build("1.2.3");
  assert.equal(without, null);
  assert.ok(words.includes(`patch.crates-io.quiche.path='${work}/quiche'`), words.join(" "));
  assert.ok(words.includes("--locked"));
  assert.equal(used, lock.replace('source = "registry"\nchecksum = "2"\n', ""));
  assert.equal(read("quiche/src/lib.rs"), "one\ntwo\n    after two\nthree\n");
});

test("another quiche is built as it is, and why is left for whoever asks", { skip }, () => {
  const { words, lock: used, without } = build("1.2.4");
  assert.match(without ?? "", /^quiche 1\.2\.4 cannot be given congestion controllers of ours: .*\n$/);
  assert.ok(!words.some((word) => word.startsWith("patch")), words.join(" "));
  assert.ok(words.includes("--locked"));
  assert.equal(used, lock);
});

test("each line stands after the one that its number names, and the controllers' file beside quiche's own", {
  skip,
}, () => {
  const { run, read, added } = insert("1.2.3");
  assert.equal(run.status, 0, run.stderr);
  assert.equal(read("src/lib.rs"), "one\ntwo\n    after two\nthree\n");
  assert.equal(read("src/recovery/mod.rs"), "four\nafter four\n");
  assert.ok(added);
});

test("a quiche of another version, or with a file changed, is left as it is, and a line says why", { skip }, () => {
  for (const [version, library, why] of [
    ["1.2.4", undefined, /^quiche 1\.2\.4 cannot be given .*: there is no 1\.2\.4\.lines\n$/],
    ["1.2.3", "one\ntwo\n", /^quiche 1\.2\.3 cannot be given .*: src\/lib\.rs is not the file/],
  ] as const) {
    const { run, read, added } = insert(version, library);
    assert.equal(run.status, 3);
    assert.match(run.stderr, why);
    assert.equal(read("src/recovery/mod.rs"), "four\n");
    assert.ok(!added);
  }
});

test("the quiche that is built has its lines, and none of its text is among them", () => {
  const ofCrate = readFileSync(join(checkout, "native-host/quic/Cargo.lock"), "utf8");
  const version = /name = "quiche"\nversion = "([^"]+)"/.exec(ofCrate)?.[1];
  assert.ok(readdirSync(ours).includes(`${version}.lines`), version);
  for (const line of readFileSync(join(ours, `${version}.lines`), "utf8")
    .split("\n")
    .slice(2))
    assert.match(line, /^(?:$|file src\/\S+ [0-9a-f]{64}$|\d+ .*(?:controller|left_path))/);
});
