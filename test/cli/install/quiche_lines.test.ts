// The lines by which quiche calls our congestion controllers: where they go, and that another quiche is left as it is.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { checkout } from "../../../cli/base/programs.ts";

const folder = mkdtempSync(join(tmpdir(), "trilane-quiche-lines-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const ours = join(checkout, "native-host", "quic", "quiche");

/** A quiche of two files, and lines for it. */
function make(version: string, library = "one\ntwo\nthree\n") {
  const root = mkdtempSync(join(folder, "case-"));
  const lines = join(root, "lines");
  const quiche = join(root, "quiche");
  mkdirSync(lines);
  mkdirSync(join(quiche, "src", "recovery", "congestion"), { recursive: true });
  writeFileSync(join(quiche, "Cargo.toml"), `[package]\nname = "quiche"\nversion = "${version}"\n`);
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
  const files = { "src/lib.rs": "one\ntwo\nthree\n", "src/recovery/mod.rs": "four\n" };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(quiche, name), text);
  writeFileSync(join(quiche, "src/lib.rs"), library);
  const [first, second] = Object.entries(files).map(([name, text]) => `file ${name} ${sha256(text)}`);
  writeFileSync(join(lines, "1.2.3.lines"), `# words\n${second}\n1 after four\n${first}\n2     after two\n`);
  writeFileSync(join(lines, "controller.rs"), "controller\n");
  const run = spawnSync("python3", [join(checkout, "cli/install/quiche_lines.py"), lines, quiche], {
    encoding: "utf8",
  });
  const read = (name: string): string => readFileSync(join(quiche, name), "utf8");
  const added = existsSync(join(quiche, "src/recovery/congestion/controller.rs"));
  return { run, read, added };
}

test("each line stands after the one that its number names, and the controllers' file beside quiche's own", () => {
  const { run, read, added } = make("1.2.3");
  assert.equal(run.status, 0, run.stderr);
  assert.equal(read("src/lib.rs"), "one\ntwo\n    after two\nthree\n");
  assert.equal(read("src/recovery/mod.rs"), "four\nafter four\n");
  assert.ok(added);
});

test("a quiche of another version, or with a file changed, is left as it is, and a line says why", () => {
  for (const [version, library, why] of [
    ["1.2.4", undefined, /^quiche 1\.2\.4 cannot be given .*: there is no 1\.2\.4\.lines\n$/],
    ["1.2.3", "one\ntwo\n", /^quiche 1\.2\.3 cannot be given .*: src\/lib\.rs is not the file/],
  ] as const) {
    const { run, read, added } = make(version, library);
    assert.equal(run.status, 3);
    assert.match(run.stderr, why);
    assert.equal(read("src/recovery/mod.rs"), "four\n");
    assert.ok(!added);
  }
});

test("the quiche that is built has its lines, and none of its text is among them", () => {
  const lock = readFileSync(join(checkout, "native-host/quic/Cargo.lock"), "utf8");
  const version = /name = "quiche"\nversion = "([^"]+)"/.exec(lock)?.[1];
  assert.ok(readdirSync(ours).includes(`${version}.lines`), version);
  for (const line of readFileSync(join(ours, `${version}.lines`), "utf8")
    .split("\n")
    .slice(2))
    assert.match(line, /^(?:$|file src\/\S+ [0-9a-f]{64}$|\d+ .*controller)/);
});
