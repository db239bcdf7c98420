// What lets labs be made on confined machines: the AppArmor profile parses, the seccomp filter leaves labs every system call
// that they make, and what says that user namespaces are forbidden names them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout, programPath } from "../../../cli/base/programs.ts";
import { labFailure } from "../../../cli/install/doctor/checks.ts";
import { notInstalled } from "../../../cli/install/requirements.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-confinement-");

const shipped = (name: string): string => readFileSync(join(checkout, "cli", "install", name), "utf8");

/** User namespaces are rules since AppArmor 4, which came in Debian 13 and Ubuntu 24.04. */
function knowsUserNamespaces(): boolean {
  const told = spawnSync("apparmor_parser", ["--version"], { encoding: "utf8" }).stdout;
  return Number(/version (\d+)/.exec(told)?.[1]) >= 4;
}

test("the AppArmor profile parses, before AppArmor 4 without what that alone knows", {
  skip: notInstalled(["apparmor_parser"]) ?? false,
}, () => {
  const whole = shipped("apparmor.profile").replaceAll("TRILANE_FOLDER", checkout);
  assert.equal(whole.match(/^ +userns,$/gm)?.length, 2, "in both profiles");
  const older = whole.replace("<abi/4.0>", "<abi/3.0>").replaceAll(/^ +userns,$/gm, "");
  const words = ["--skip-kernel-load", "--skip-cache"];
  const parse = (input: string) => spawnSync("apparmor_parser", words, { input, encoding: "utf8" });
  const input = knowsUserNamespaces() ? whole : older;
  const { status, stderr } = parse(input);
  assert.equal(status, 0, stderr);
  assert.notEqual(parse(input.replace("pivot_root,", "pivot_rot,")).status, 0, "a mistake is found");
});

test("the AppArmor profile names programs of ours where they are", () => {
  const [, names = ""] = /TRILANE_FOLDER\/build\/native\/\{(.*?)\}/.exec(shipped("apparmor.profile")) ?? [];
  const programs = ["trilane-replay", "trilane-shaper", "trilane-flows", "trilane-guard"] as const;
  assert.deepEqual(
    names.split(",").map((name) => join(checkout, "build", "native", name)),
    programs.map((name) => programPath(name)),
  );
});

interface Seccomp {
  readonly defaultAction: string;
  readonly syscalls: readonly { readonly names: readonly string[]; readonly action: string }[];
}

const seccomp = JSON.parse(shipped("seccomp.json")) as Seccomp;
const denied = new Set(seccomp.syscalls.flatMap(({ names }) => names));

test("the seccomp filter is a list of system calls, each once, in order, and with a name that the kernel's headers have", () => {
  const { defaultAction, syscalls, ...others } = seccomp;
  assert.deepEqual([typeof defaultAction, others], ["string", {}]);
  assert.deepEqual(
    syscalls.map((rule) => Object.keys(rule)),
    [["names", "action", "errnoRet"]],
  );
  const names = syscalls.flatMap((rule) => rule.names);
  assert.deepEqual(names, [...new Set(names)].toSorted());
  // A name that is none would deny nothing, and nobody would be told. Other machines have fewer of the old ones.
  if (process.arch !== "x64") return;
  const headers = globSync("/usr/include/{,x86_64-linux-gnu/}asm*/unistd*.h").map((path) => readFileSync(path, "utf8"));
  const known = new Set([...headers.join("\n").matchAll(/#define __NR_(\w+)/g)].map(([, name = ""]) => name));
  assert.ok(known.has("unshare"));
  assert.deepEqual(
    names.filter((name) => !known.has(name)),
    [],
  );
});

test("the seccomp filter denies what reaches the machine, and no namespaces", () => {
  assert.equal(seccomp.defaultAction, "SCMP_ACT_ALLOW");
  for (const { action } of seccomp.syscalls) assert.equal(action, "SCMP_ACT_ERRNO");
  for (const name of ["init_module", "kexec_load", "bpf", "open_by_handle_at", "clock_settime"])
    assert.ok(denied.has(name));
  for (const name of ["unshare", "clone", "clone3", "setns", "mount", "umount2", "pivot_root", "chroot", "seccomp"])
    assert.ok(!denied.has(name), name);
});

function tracingForbidden(): string | false {
  const { status, stderr } = spawnSync("strace", ["-qq", "-o", "/dev/null", "true"], { encoding: "utf8" });
  return status !== 0 && /ptrace/i.test(stderr)
    ? `no program may be traced here (${stderr.trim().split("\n")[0]})`
    : false;
}

test("the seccomp filter leaves a lab its system calls", {
  skip: notInstalled(["strace"]) ?? tracingForbidden(),
}, () => {
  const log = join(folder, "calls");
  const lab = [programPath("trilane-shaper"), "--link", "10mbit/10ms", "--", "ping", "-c", "1", "100.64.0.1"];
  const { status, stderr } = spawnSync("strace", ["-f", "-qq", "-o", log, ...lab], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  const made = new Set([...readFileSync(log, "utf8").matchAll(/^\d+ +(\w+)\(/gm)].map(([, name = ""]) => name));
  for (const name of ["unshare", "clone", "mount"]) assert.ok(made.has(name), name);
  assert.deepEqual(
    [...made].filter((name) => denied.has(name)),
    [],
  );
});

test("doctor takes the remedy over from the shaper, with the paths of the files that it names", () => {
  const found = "trilane-shaper: user namespaces are not allowed on this system (unshare: Permission denied)";
  const source = readFileSync(join(checkout, "native-host", "base", "namespace.c"), "utf8");
  for (const [remedy, file] of [
    ["install Trilane's AppArmor profile: cli/install/apparmor.profile in its folder says how", "apparmor.profile"],
    ["leave the chroot, or let it (docker run --security-opt seccomp=cli/install/seccomp.json)", "seccomp.json"],
  ] as const) {
    assert.ok(source.includes(remedy.slice(0, 20)), remedy);
    const check = { name: "a lab", outcome: "missing", found: `${found}: ${remedy}`, remedy: "another" } as const;
    const absolute = remedy.replace("cli/install/", `${join(checkout, "cli", "install")}/`);
    assert.ok(absolute.includes(`${checkout}/cli/install/${file}`));
    assert.deepEqual(labFailure(check), { ...check, found, remedy: absolute });
  }
  const unexplained = { name: "a lab", outcome: "missing", found: "killed", remedy: "as cli/install/a says" } as const;
  assert.equal(labFailure(unexplained).remedy, `as ${join(checkout, "cli", "install", "a")} says`);
});
