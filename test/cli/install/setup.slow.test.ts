// setup.sh itself, in a checkout where every step is a stand-in: two at once take turns, and the second one says so; packages that
// were removed are installed again, or come from the cache.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { tempFolder } from "../../temp_folder.ts";

const checkout = join(import.meta.dirname, "..", "..", "..");
const folder = tempFolder("trilane-setup-");

for (const name of ["cli/install/packages", "node_modules/.bin", "build/native"])
  mkdirSync(join(folder, name), { recursive: true });
for (const name of ["cli/install/setup.sh", "cli/install/build_cache.sh"])
  copyFileSync(join(checkout, name), join(folder, name));
const cache = join(folder, "cache");
const ownCache = { ...process.env, TRILANE_CACHE: cache };
symlinkSync(process.execPath, join(folder, "node_modules/.bin/node"));
for (const name of ["package-lock.json", "build/npm-done", "node_modules/.package-lock.json"])
  writeFileSync(join(folder, name), "");
for (const name of [
  "node_modules/.bin/trilane",
  "cli/trilane",
  "cli/install/extension.ts",
  "cli/install/packages/bundle.ts",
])
  writeFileSync(join(folder, name), "");
writeFileSync(join(folder, "cli/install/system_packages.sh"), "touch began\n");
writeFileSync(join(folder, "cli/install/quic_folder.sh"), "");
// The first one stays in its work until it is told to go on, and would not notice another beside it.
writeFileSync(join(folder, "cli/install/native.sh"), "echo works\nread -r line\n");

function start(env: NodeJS.ProcessEnv = ownCache) {
  const setup = spawn("bash", ["cli/install/setup.sh"], { cwd: folder, stdio: ["pipe", "pipe", "pipe"], env });
  // Also where the test fails: a stand-in that still reads would keep it from ending.
  after(() => setup.stdin.destroy());
  return { setup, ended: once(setup, "close") };
}

test("a second set-up waits for the first, and says so", { timeout: 60_000 }, async () => {
  const first = start();
  await once(first.setup.stdout, "data");
  rmSync(join(folder, "began"));
  const second = start();
  const worked = once(second.setup.stdout, "data");
  const [said] = (await Promise.race([once(second.setup.stderr, "data"), worked])) as [Buffer];
  assert.match(said.toString(), /^setup: another set-up of this checkout is running: waiting for it\n$/);
  assert.ok(!existsSync(join(folder, "began")));
  first.setup.stdin.end("go on\n");
  assert.deepEqual(await first.ended, [0, null]);
  await worked;
  second.setup.stdin.end("go on\n");
  assert.deepEqual(await second.ended, [0, null]);
});

test("packages that were removed, but for npm's list of them, are installed again", { timeout: 60_000 }, async () => {
  copyFileSync(join(checkout, "cli/install/run_step.sh"), join(folder, "cli/install/run_step.sh"));
  rmSync(join(folder, "node_modules/.bin"), { recursive: true });
  mkdirSync(join(folder, "bin"));
  const npm = `#!/bin/sh\nmkdir node_modules/.bin && ln -s ${process.execPath} node_modules/.bin/node\n`;
  writeFileSync(join(folder, "bin/npm"), npm, { mode: 0o755 });
  const again = async (): Promise<void> => {
    const { setup, ended } = start({ ...ownCache, PATH: `${join(folder, "bin")}:${process.env.PATH}` });
    setup.stdin.end("go on\n");
    assert.deepEqual(await ended, [0, null]);
    assert.ok(existsSync(join(folder, "node_modules/.bin/node")));
  };
  await again();
  // What npm installed once is there for the next checkout, even if npm would fail by then.
  writeFileSync(join(folder, "bin/npm"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  rmSync(join(folder, "node_modules"), { recursive: true });
  await again();
});

test("npm runs beside the system's packages; if it fails set-up ends with its words, and if they fail it is ended", {
  timeout: 60_000,
}, async () => {
  const npmIs = (script: string): void =>
    writeFileSync(join(folder, "bin/npm"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const environment = { ...ownCache, PATH: `${join(folder, "bin")}:${process.env.PATH}` };
  const run = async (): Promise<{ status: unknown; said: string }> => {
    rmSync(join(folder, "build/npm-done"), { force: true });
    rmSync(cache, { recursive: true, force: true });
    const { setup, ended } = start(environment);
    let said = "";
    setup.stderr.on("data", (text: Buffer) => {
      said += text;
    });
    setup.stdin.end("go on\n");
    const [status] = await ended;
    return { status, said };
  };
  // It waits for what the system's packages do, which they would not if it ran after them.
  writeFileSync(join(folder, "cli/install/system_packages.sh"), "touch began\n");
  npmIs("until [ -e began ]; do sleep 0.02; done; rm began");
  assert.deepEqual(await run(), { status: 0, said: "setup: npm packages and Node 24 (by package-lock.json)\n" });
  npmIs("echo no registry >&2; exit 1");
  const failed = await run();
  assert.notEqual(failed.status, 0);
  assert.match(failed.said, /npm ci.* failed.*no registry/s);
  writeFileSync(join(folder, "cli/install/system_packages.sh"), "until [ -s npm-pid ]; do sleep 0.02; done; exit 3\n");
  npmIs("echo $$ >npm-pid; exec sleep 60");
  assert.equal((await run()).status, 3);
  const pid = Number(readFileSync(join(folder, "npm-pid"), "utf8"));
  const isThere = (): boolean =>
    existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  while (isThere()) await new Promise((done) => setTimeout(done, 20));
});
