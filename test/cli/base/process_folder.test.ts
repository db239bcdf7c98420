// What processes that were killed left behind is removed by the next, and nobody else's.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { makeProcessFolder, sweepProcessFolders } from "../../../cli/base/process_folder.ts";
import { type Owner, stateOf, thisProcess } from "../../../cli/base/process_owner.ts";
import { tempFolder } from "../../temp_folder.ts";

const parent = tempFolder("trilane-process-folder-");

test("folders of ended processes go, those of running ones, of other kinds and of other names stay", async () => {
  const ended = spawnSync("true").pid;
  const foreign = `trilane-record-${ended}-mine`;
  for (const name of [
    `trilane-record-${ended}-abc`,
    `trilane-load-${ended}-abc`,
    "trilane-record-x",
    "other",
    foreign,
  ]) {
    mkdirSync(join(parent, name));
    writeFileSync(join(parent, name, name === foreign ? "file" : ".trilane"), "");
  }
  const running = makeProcessFolder(parent, "record");
  assert.match(basename(running), new RegExp(`^trilane-record-${process.pid}-\\w+$`));
  await sweepProcessFolders(parent, "record");
  const left = ["other", basename(running), `trilane-load-${ended}-abc`, "trilane-record-x", foreign];
  assert.deepEqual(readdirSync(parent).sort(), left.sort());
});

test("an empty folder without a mark goes if it is old: its maker was killed before it marked it", async () => {
  const folder = join(parent, "unmarked");
  const old = new Date(Date.now() - 2 * 3600 * 1000);
  const ended = spawnSync("true").pid;
  for (const [name, file] of [
    ["empty", null],
    ["half", ".trilane-new"],
    ["used", "profile"],
    ["young", null],
  ] as const) {
    const made = join(folder, `trilane-lab-${ended}-${name}`);
    mkdirSync(made, { recursive: true });
    if (file !== null) writeFileSync(join(made, file), "");
    if (name !== "young") utimesSync(made, old, old);
  }
  await sweepProcessFolders(folder, "lab");
  assert.deepEqual(
    readdirSync(folder).sort(),
    ["used", "young"].map((name) => `trilane-lab-${ended}-${name}`),
  );
});

test("whose process is gone is told by the mark, not by the number: that may be another's, or of another container", async () => {
  const folder = join(parent, "marks");
  const ended = spawnSync("true").pid;
  const marks: Record<string, Owner | string> = {
    [`${ended}-ended`]: { ...thisProcess(), pid: ended },
    [`${process.pid}-again`]: { ...thisProcess(), start_ticks: "1" },
    [`${process.pid}-restarted`]: { ...thisProcess(), boot_id: "another" },
    [`${ended}-elsewhere`]: { ...thisProcess(), pid: ended, pid_namespace: "pid:[1]" },
    [`${ended}-odd`]: "{}",
  };
  for (const [name, owner] of Object.entries(marks)) {
    mkdirSync(join(folder, `trilane-load-${name}`), { recursive: true });
    const text = typeof owner === "string" ? owner : JSON.stringify(owner);
    writeFileSync(join(folder, `trilane-load-${name}`, ".trilane"), text);
  }
  const old = new Date(Date.now() - 8 * 24 * 3600 * 1000);
  for (const name of [`${process.pid}-restarted`, `${ended}-elsewhere`])
    cpSync(join(folder, `trilane-load-${name}`), join(folder, `trilane-load-${name}-long-ago`), { recursive: true });
  for (const name of readdirSync(folder).filter((each) => each.endsWith("-long-ago")))
    utimesSync(join(folder, name), old, old);
  const running = makeProcessFolder(folder, "load");
  await sweepProcessFolders(folder, "load");
  const kept = [`${process.pid}-restarted`, `${ended}-elsewhere`, `${ended}-odd`].map((name) => `trilane-load-${name}`);
  const left = [basename(running), ...kept];
  assert.deepEqual(readdirSync(folder).sort(), left.sort());
});

test("a process in another PID namespace leaves ours, and does not take itself for dead by our /proc", () => {
  const folder = join(parent, "namespaces");
  mkdirSync(folder);
  const running = makeProcessFolder(folder, "load");
  const [folders, owner] = ["process_folder.ts", "process_owner.ts"].map((name) =>
    JSON.stringify(join(import.meta.dirname, "..", "..", "..", "cli", "base", name)),
  );
  const text = `const { sweepProcessFolders } = await import(${folders});
    const { stateOf, thisProcess } = await import(${owner});
    await sweepProcessFolders(${JSON.stringify(folder)}, "load");
    const self = thisProcess();
    console.log(stateOf(self), stateOf({ ...self, pid: self.pid + 1 }));`;
  const words = ["--user", "--map-root-user", "--pid", "--fork", process.execPath, "--input-type=module", "-e", text];
  const ran = spawnSync("unshare", words, { encoding: "utf8" });
  assert.equal(ran.stdout, "this unknown\n", ran.stderr);
  assert.deepEqual(readdirSync(folder), [basename(running)]);
  assert.equal(stateOf(thisProcess()), "this");
});

test("removed, a folder loses its mark last: whose removal was cut off is known by it", () => {
  const folder = makeProcessFolder(parent, "load");
  mkdirSync(join(folder, "profile"));
  const module = join(import.meta.dirname, "..", "..", "..", "cli", "base", "process_folder.ts");
  const text = `const { removeProcessFolder } = await import(${JSON.stringify(module)});
    console.log(await removeProcessFolder(${JSON.stringify(folder)}).catch(({ code }) => code));`;
  // What is mounted cannot be removed.
  const words = [
    "--user",
    "--map-root-user",
    "--mount",
    "sh",
    "-c",
    'mount -t tmpfs none "$0/profile" && exec "$@"',
    folder,
  ];
  const options = { encoding: "utf8" } as const;
  const ran = spawnSync("unshare", [...words, process.execPath, "--input-type=module", "-e", text], options);
  assert.equal(ran.stdout, "EBUSY\n", ran.stderr);
  assert.deepEqual(readdirSync(folder).toSorted(), [".trilane", "profile"]);
});
