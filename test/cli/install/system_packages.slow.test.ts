// cli/install/system_packages.sh before systems made of stubs: what it advises can be installed there, and Rust is asked for
// only where quiche is still to be built.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "../../../cli/base/programs.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-packages-");

function stub(path: string, text: string): void {
  writeFileSync(path, `#!/bin/bash\n${text}\n`, { mode: 0o755 });
}

/** A system of a user without sudo and without any of the programs, whose apt knows the packages in `known` ("rustc=1.96"). */
function system(known: string, commands: readonly string[] = [], removing: string | null = null): string {
  const bin = mkdtempSync(join(folder, "bin-"));
  for (const tool of [
    "bash",
    "cat",
    "cut",
    "dirname",
    "find",
    "grep",
    "head",
    "sed",
    "sha256sum",
    "sort",
    "stat",
    "uname",
    "wc",
  ]) {
    const { stdout } = spawnSync("bash", ["-c", `command -v ${tool}`], { encoding: "utf8" });
    symlinkSync(stdout.trim(), join(bin, tool));
  }
  stub(join(bin, "id"), "echo 1000");
  stub(join(bin, "apt-get"), removing === null ? "exit 100" : `echo "Remv ${removing} [1.0]"`);
  const candidate = `printf '%s:\\n  Candidate: %s\\n' "$2" "$version"; exit 0`;
  stub(
    join(bin, "apt-cache"),
    `for known in ${known}; do version=\${known#*=}; [ "\${known%=*}" != "$2" ] || { ${candidate}; }; done`,
  );
  for (const command of commands) stub(join(bin, command), `echo "${command} 14.0"`);
  return bin;
}

function run(bin: string, script: string, environment: Record<string, string> = {}, root = checkout) {
  const { status, stdout, stderr } = spawnSync(
    join(bin, "bash"),
    [join(root, "cli", "install", script), "--complete"],
    {
      encoding: "utf8",
      env: { PATH: bin, HOME: folder, TRILANE_CACHE: join(folder, "no-cache"), ...environment },
    },
  );
  return { status, stdout, stderr };
}

const advice = (stderr: string): string => /run as root: apt-get install (.*)/.exec(stderr)?.[1] ?? "";

test("Debian 12, no sudo: rustup has no candidate there and is not advised; where Rust comes from is said", () => {
  const { status, stderr } = run(system("build-essential cmake rustc=1.63.0"), "system_packages.sh");
  assert.equal(status, 2);
  assert.match(advice(stderr), /^build-essential cmake /);
  assert.doesNotMatch(advice(stderr), /rustup/);
  assert.match(stderr, /Rust 1\.88 or newer is missing .*rustup\.rs/);
});

test("a Rust of apt that is new enough is advised, also the one for Debian's browsers; not if more than a Rust would go for it", () => {
  const known = "rustc=1.63.0 rustc-web=1.96.0+dfsg1-1~deb12u2 rustup=1.27";
  const replacing = run(system(known, [], "libstd-rust-dev"), "system_packages.sh");
  assert.match(advice(replacing.stderr), / rustc-web cargo-web$/);
  assert.match(replacing.stderr, /rustc-web cargo-web replaces an older Rust: libstd-rust-dev\n/);
  assert.match(advice(run(system(known, [], "firefox-esr"), "system_packages.sh").stderr), / rustup$/);
  assert.match(advice(run(system("rustc=1.90.1", [], "rustc"), "system_packages.sh").stderr), / rustc cargo$/);
});

test("where apt has rustup, that is what is advised", () => {
  const { status, stderr } = run(system("rustup build-essential"), "system_packages.sh");
  assert.equal(status, 2);
  assert.match(advice(stderr), /\brustup$/);
  assert.doesNotMatch(stderr, /rustup\.rs/);
});

test("where quiche is built, neither Rust nor what else builds it is asked for, and the build is found without Rust", () => {
  // A checkout of its own, in which building quiche is making a folder.
  const root = join(folder, "checkout");
  for (const part of ["src", "quiche"]) mkdirSync(join(root, "native-host", "quic", part), { recursive: true });
  mkdirSync(join(root, "cli", "install"), { recursive: true });
  for (const script of [
    "find_rust.sh",
    "libclang.py",
    "quic_folder.sh",
    "quiche_build.sh",
    "quiche_lines.py",
    "requirements.txt",
    "system_packages.sh",
  ])
    cpSync(join(checkout, "cli", "install", script), join(root, "cli", "install", script));
  for (const file of ["Cargo.toml", "Cargo.lock", "src/lib.rs", "quiche/1.lines"])
    writeFileSync(join(root, "native-host", "quic", file), file);
  const built = join(folder, "cache", "quic-1");
  mkdirSync(built, { recursive: true });
  writeFileSync(join(built, "complete"), "");
  stub(join(root, "cli", "install", "quic.sh"), `echo ${built}`);

  const bin = system("rustup", ["cc", "c++"]);
  const environment = { TRILANE_CACHE: join(folder, "cache") };
  const before = run(bin, "system_packages.sh", environment, root);
  assert.match(advice(before.stderr), /python3 libclang-dev .*rustup/);
  assert.equal(run(bin, "quic_folder.sh", environment, root).status, 1);
  const making = spawnSync(join(bin, "bash"), [join(root, "cli", "install", "quic_folder.sh")], {
    encoding: "utf8",
    env: { PATH: bin, HOME: folder, ...environment },
  });
  assert.equal(making.stdout, `${built}\n`, making.stderr);

  assert.equal(run(bin, "quic_folder.sh", environment, root).stdout, `${built}\n`);
  const afterwards = run(bin, "system_packages.sh", environment, root);
  assert.match(advice(afterwards.stderr), /cmake/);
  assert.doesNotMatch(afterwards.stderr, /python3|libclang-dev|rust/i);
  // Another compiler's code is another build.
  assert.equal(run(system("", ["cc"]), "quic_folder.sh", environment, root).status, 1);
  writeFileSync(join(root, "native-host", "quic", "Cargo.lock"), "changed");
  assert.equal(run(bin, "quic_folder.sh", environment, root).status, 1);
});
