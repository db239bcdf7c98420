// `trilane install-host`: what it writes where, that what it writes starts a host that answers, and that all of it goes.
// Wide: cli/install/host, native-host/messaging.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { checkout, programPath } from "../../../../cli/base/programs.ts";
import { browsers, hostsFolders } from "../../../../cli/install/host/browsers.ts";
import {
  anyWritableByOthers,
  closedToOthers,
  compiled,
  refuseUnsafe,
  tryHost,
  whatRuns,
  writableByOthers,
} from "../../../../cli/install/host/install.ts";
import { launcherText } from "../../../../cli/install/host/launcher.ts";
import { extensionOrigin, firefoxId, hostName, manifestText } from "../../../../cli/install/host/manifest.ts";
import type { HostInstalled } from "../../../../schemas/generated/host_installed.ts";
import { tempFolder } from "../../../temp_folder.ts";

const trilane = join(import.meta.dirname, "..", "..", "..", "..", "cli", "trilane");

interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

function run(environment: Record<string, string>, ...words: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH ?? "", NO_COLOR: "1", ...environment };
    execFile(trilane, ["install-host", ...words], { env }, (error, out, err) => {
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ status, out, err });
    });
  });
}

interface Manifest {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  readonly type: string;
  readonly allowed_origins?: readonly string[];
  readonly allowed_extensions?: readonly string[];
}

const read = (path: string): Manifest => JSON.parse(readFileSync(path, "utf8")) as Manifest;

test("a user's five browsers get a manifest that starts a host; --uninstall leaves nothing", async () => {
  const folder = tempFolder("trilane-install-host-");
  const settings = join(folder, ".config");
  mkdirSync(join(settings, "google-chrome", "Default"), { recursive: true });
  const { status, out, err } = await run({ HOME: folder }, "--json");
  assert.equal(status, 0, err);
  const installed = JSON.parse(out) as HostInstalled;
  const names = ["google-chrome", "chromium", "microsoft-edge", "BraveSoftware/Brave-Browser"];
  assert.deepEqual(
    installed.manifests.map(({ path, state }) => [path, state]),
    [
      ...names.map((name) => [join(settings, name, "NativeMessagingHosts", `${hostName}.json`), "written"]),
      [join(folder, ".mozilla", "native-messaging-hosts", `${hostName}.json`), "written"],
    ],
  );
  for (const { path } of installed.manifests) {
    const manifest = read(path);
    assert.deepEqual(
      [manifest.name, manifest.type, manifest.allowed_origins, manifest.allowed_extensions],
      path.includes("/.mozilla/")
        ? ["dev.trilane.host", "stdio", undefined, [firefoxId]]
        : ["dev.trilane.host", "stdio", [extensionOrigin], undefined],
    );
    assert.equal(manifest.path, installed.program);
    assert.equal(statSync(path).mode & 0o777, 0o644);
    assert.deepEqual(readdirSync(join(path, "..")), [`${hostName}.json`], "nothing half-written beside it");
  }
  assert.ok((await tryHost(installed.program ?? "")).includes("archive"));
  assert.ok(!existsSync(join(folder, ".local")), "a host that said hello made no data folder");

  const again = await run({ HOME: folder });
  assert.equal(again.status, 0);
  assert.equal(again.out.match(/^unchanged/gm)?.length, 5, again.out);
  assert.match(again.out, /trilane-host answers \(\d[^)]*\), and only the extension [a-p]{32}\n$/);

  const one = await run({ HOME: folder }, "--browser", "brave", "--uninstall");
  assert.match(one.out, /^removed .*Brave.*\nremoved 1 manifest\n$/);
  assert.ok(!existsSync(join(settings, "BraveSoftware")));
  const rest = await run({ HOME: folder }, "--uninstall");
  assert.match(rest.out, /\nremoved 4 manifests\n$/);
  assert.ok(!existsSync(join(folder, ".mozilla")));
  assert.ok(existsSync(join(settings, "google-chrome", "Default")), "the browser's own stays");
  assert.ok(!existsSync(join(settings, "google-chrome", "NativeMessagingHosts")));
  assert.match((await run({ HOME: folder }, "--uninstall")).out, /nothing to remove\n$/);
});

test("a profile of one's own, and a data folder that the host is told of", async () => {
  const folder = tempFolder("trilane-install-host-");
  const [profile, home] = [join(folder, "profile"), join(folder, "it's data")];
  const words = ["--user-data-dir", profile, "--home", home];
  const { status, out, err } = await run({ HOME: folder }, ...words, "--json");
  assert.equal(status, 0, err);
  const installed = JSON.parse(out) as HostInstalled;
  assert.deepEqual(installed.manifests, [
    { path: join(profile, "NativeMessagingHosts", `${hostName}.json`), browsers: [], state: "written" },
  ]);
  const launcher = installed.program ?? "";
  assert.ok(launcher.startsWith(join(folder, ".config", "trilane", "host-")), "where trilane-host may not write");
  assert.ok(!existsSync(home), "the data folder is the host's to make");
  assert.equal(statSync(launcher).mode & 0o777, 0o755);
  assert.ok((await tryHost(launcher)).includes("archive"), "the launcher passes words and pipes on");
  assert.deepEqual(readdirSync(join(folder, ".config")), ["trilane"], "no other browser finds it");
  assert.equal((await run({ HOME: folder }, ...words, "--uninstall")).status, 0);
  assert.ok(!existsSync(dirname(launcher)) && !existsSync(join(profile, "NativeMessagingHosts")));
});

/** As version 0.2 left it. */
function installFormer(folder: string, home: string): string {
  const launcher = join(home, "trilane-host");
  const hosts = join(folder, ".config", "chromium", "NativeMessagingHosts");
  for (const each of [home, hosts]) mkdirSync(each, { recursive: true });
  writeFileSync(launcher, launcherText(programPath("trilane-host"), { home, chromium: null }), { mode: 0o755 });
  writeFileSync(join(hosts, `${hostName}.json`), manifestText(launcher));
  return launcher;
}

test("a launcher in the data folder, where it was before, goes when one is installed or removed", async () => {
  const folder = tempFolder("trilane-install-host-");
  const home = join(folder, "data");
  for (const words of [["--uninstall"], []]) {
    const former = installFormer(folder, home);
    assert.equal((await run({ HOME: folder }, "--home", home, "--browser", "chromium", ...words)).status, 0);
    assert.ok(!existsSync(former), words.join(" "));
  }
});

test("a data folder that would hold the launcher is refused", async () => {
  const folder = tempFolder("trilane-install-host-");
  const { status, err } = await run({ HOME: folder }, "--home", folder);
  assert.equal(status, 2);
  assert.match(err, /^trilane: \S+: holds \S+, which trilane-host could change then: name another with --home\n$/);
  assert.deepEqual(readdirSync(folder), []);
});

test("a launcher that another browser starts stays", async () => {
  const folder = tempFolder("trilane-install-host-");
  const environment = { HOME: folder, TRILANE_HOME: join(folder, "data") };
  assert.equal((await run(environment, "--browser", "chrome,edge")).status, 0);
  assert.equal((await run(environment, "--browser", "edge", "--uninstall")).status, 0);
  assert.equal(readdirSync(join(folder, ".config", "trilane")).length, 1);
  assert.equal((await run(environment, "--uninstall")).status, 0);
  assert.ok(!existsSync(join(folder, ".config", "trilane")));
});

test("another installation's manifest is replaced, and said to be", async () => {
  const folder = tempFolder("trilane-install-host-");
  const hosts = join(folder, ".config", "chromium", "NativeMessagingHosts");
  mkdirSync(hosts, { recursive: true });
  writeFileSync(join(hosts, `${hostName}.json`), "{}");
  const { out } = await run({ HOME: folder }, "--browser", "chromium");
  assert.match(out, /^replaced {3}\/.*\(Chromium\)\n/);
  assert.equal(read(join(hosts, `${hostName}.json`)).name, hostName);
});

test("a launcher's words survive a shell", async () => {
  const folder = tempFolder("trilane-install-host-");
  const program = join(folder, "it's $HOME");
  writeFileSync(program, '#!/bin/sh\nprintf "%s|" "$TRILANE_BROWSER" "$@"\n', { mode: 0o755 });
  const launcher = join(folder, "launcher");
  const settings = { home: "/a b/`c`", chromium: "/opt/$(d)/chromium" };
  writeFileSync(launcher, launcherText(program, settings), { mode: 0o755 });
  const out = await new Promise<string>((resolve, reject) => {
    execFile(launcher, ["chrome-extension://x/"], (error, text) => (error ? reject(error) : resolve(text)));
  });
  assert.equal(out, "/opt/$(d)/chromium|--home|/a b/`c`|chrome-extension://x/|");
});

test("where browsers look: XDG, and Brave in Chrome's folder of the system", () => {
  const user = hostsFolders({ kind: "user" }, ["chromium"], { HOME: "/home/u", XDG_CONFIG_HOME: "/settings" });
  assert.deepEqual(user, [{ path: "/settings/chromium/NativeMessagingHosts", browsers: ["chromium"] }]);
  const relative = hostsFolders({ kind: "user" }, ["chrome"], { HOME: "/home/u", XDG_CONFIG_HOME: "settings" });
  assert.equal(relative[0]?.path, "/home/u/.config/google-chrome/NativeMessagingHosts");
  assert.deepEqual(hostsFolders({ kind: "system" }, browsers), [
    { path: "/etc/opt/chrome/native-messaging-hosts", browsers: ["chrome", "brave"] },
    { path: "/etc/chromium/native-messaging-hosts", browsers: ["chromium"] },
    { path: "/etc/opt/edge/native-messaging-hosts", browsers: ["edge"] },
    { path: "/usr/lib/mozilla/native-messaging-hosts", browsers: ["firefox"] },
  ]);
});

test("a program in a folder that is closed to others is found out", async () => {
  const folder = tempFolder("trilane-install-host-");
  const closed = join(folder, "closed");
  mkdirSync(join(closed, "bin"), { recursive: true });
  const program = join(closed, "bin", "host");
  writeFileSync(program, "", { mode: 0o755 });
  // mkdtemp's folder is closed itself.
  chmodSync(folder, 0o755);
  assert.equal(closedToOthers(program, folder), null);
  chmodSync(closed, 0o700);
  assert.equal(closedToOthers(program, folder), closed);
});

test("a program that others can change is found out, also by a folder above it or behind symlinks", async () => {
  const folder = tempFolder("trilane-install-host-");
  const me = process.getuid?.() ?? 0;
  // Who owns the temporary folder's parents says nothing here.
  const trust = { uid: me, top: realpathSync(folder) };
  const above = join(trust.top, "above");
  mkdirSync(join(above, "bin"), { recursive: true });
  for (const each of [above, join(above, "bin")]) chmodSync(each, 0o755);
  const program = join(above, "bin", "host");
  writeFileSync(program, "", { mode: 0o755 });
  const link = join(trust.top, "link");
  symlinkSync(program, link);
  assert.equal(writableByOthers(program, trust), null);
  chmodSync(program, 0o757);
  assert.equal(writableByOthers(program, trust), program);
  assert.equal(writableByOthers(link, trust), program);
  // Only of a folder does that bit say that what is in it stays its owner's.
  chmodSync(program, 0o1757);
  assert.equal(writableByOthers(program, trust), program);
  chmodSync(program, 0o755);
  chmodSync(above, 0o777);
  assert.equal(writableByOthers(program, trust), above);
  assert.equal(writableByOthers(link, trust), above);
  // As /tmp is.
  chmodSync(above, 0o1777);
  assert.equal(writableByOthers(program, trust), null);
  // A link in the middle of a chain lies where others can take its place.
  const open = join(trust.top, "open");
  mkdirSync(open);
  chmodSync(open, 0o777);
  symlinkSync("../../link", join(open, "middle"));
  const first = join(trust.top, "first");
  symlinkSync("open/middle", first);
  assert.equal(writableByOthers(first, trust), open);
  chmodSync(open, 0o755);
  assert.equal(writableByOthers(first, trust), null);
  symlinkSync("round", join(open, "round"));
  assert.throws(() => writableByOthers(join(open, "round"), trust), /round: its symlinks lead in a circle/);
  if (me === 0) chownSync(program, 1, 1);
  assert.equal(writableByOthers(program, { uid: 0, top: trust.top }), program);
});

test("all that a program runs is looked at, also behind symlinks", async () => {
  const folder = tempFolder("trilane-install-host-");
  const trust = { uid: process.getuid?.() ?? 0, top: realpathSync(folder) };
  const [sources, modules] = [join(trust.top, "cli"), join(trust.top, "elsewhere")];
  for (const each of [sources, join(sources, "host"), modules, join(modules, "ajv")]) {
    mkdirSync(each);
    chmodSync(each, 0o755);
  }
  const [source, module] = [join(sources, "host", "install.ts"), join(modules, "ajv", "index.js")];
  for (const each of [source, module]) writeFileSync(each, "", { mode: 0o644 });
  symlinkSync("../elsewhere", join(sources, "modules"));
  symlinkSync("..", join(modules, "round"));
  symlinkSync("nowhere", join(sources, "dangling"));
  assert.equal(anyWritableByOthers(sources, trust), null);
  for (const [path, mode, before] of [
    [source, 0o646, 0o644],
    [source, 0o1646, 0o644],
    [join(sources, "host"), 0o777, 0o755],
    [join(sources, "host"), 0o1777, 0o755],
    [sources, 0o1777, 0o755],
    [module, 0o646, 0o644],
  ] as const) {
    chmodSync(path, mode);
    assert.equal(anyWritableByOthers(sources, trust), path, `${path} ${mode.toString(8)}`);
    chmodSync(path, before);
  }
  assert.equal(anyWritableByOthers(sources, trust), null);
});

test("a checkout of which others can write a part is refused", async () => {
  const folder = tempFolder("trilane-install-host-");
  const trust = { uid: process.getuid?.() ?? 0, top: realpathSync(folder) };
  chmodSync(trust.top, 0o755);
  const sources = ["cli/main.ts", "extension/a.ts", "schemas/a.ts", "node_modules/node/node"];
  const parts = [...sources, "build/native/host", ...compiled.map((name) => join(name, "v24", "a"))];
  for (const part of [...parts, "package.json"]) {
    const path = join(trust.top, part);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, "", { mode: 0o755 });
    for (let above = join(path, ".."); above !== trust.top; above = join(above, "..")) chmodSync(above, 0o755);
  }
  mkdirSync(join(trust.top, "node_modules/.bin"), { mode: 0o755 });
  symlinkSync("../../outside", join(trust.top, "node_modules/.bin/node"));
  writeFileSync(join(trust.top, "outside"), "", { mode: 0o755 });
  const program = join(trust.top, "build/native/host");
  refuseUnsafe(program, trust.top, trust);
  for (const part of [...parts, "package.json", "outside"]) {
    chmodSync(join(trust.top, part), 0o757);
    const refused = {
      name: "UserError",
      message: new RegExp(`^${join(trust.top, part)}: users other than root can change it`),
    };
    assert.throws(() => refuseUnsafe(program, trust.top, trust), refused);
    chmodSync(join(trust.top, part), 0o755);
  }
});

test("packages of which others can write a part are refused: the Node of one, and what the host starts beside itself", async () => {
  const folder = tempFolder("trilane-install-host-");
  const trust = { uid: process.getuid?.() ?? 0, top: realpathSync(folder) };
  chmodSync(trust.top, 0o755);
  const [root, programs] = [join(trust.top, "trilane"), join(trust.top, "trilane-linux-x64")];
  const host = join(programs, "build/native/messaging/trilane-host");
  const parts = [
    ...["build/cli/main.js", "node/bin/node"].map((name) => join(root, name)),
    ...["cli/trilane", "build/native/replay/trilane-replay"].map((name) => join(programs, name)),
  ];
  for (const path of [...parts, host]) {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, "", { mode: 0o755 });
    for (let above = join(path, ".."); above !== trust.top; above = join(above, "..")) chmodSync(above, 0o755);
  }
  refuseUnsafe(host, root, trust);
  for (const part of parts) {
    chmodSync(part, 0o757);
    const refused = { name: "UserError", message: new RegExp(`^${part}: users other than root can change it`) };
    assert.throws(() => refuseUnsafe(host, root, trust), refused);
    chmodSync(part, 0o755);
  }
});

test("install-host --system looks at Node, our sources, their packages and our C programs", () => {
  const { dependencies } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as { dependencies: object };
  const run = [
    ...["cli/trilane", "cli/main.ts", "node_modules/.bin/node", "build/native", "package.json"],
    ...Object.keys(dependencies).map((name) => `node_modules/${name}`),
    // What cli imports from elsewhere in the checkout.
    ...globSync("cli/**/*.ts", { cwd: checkout }).flatMap((path) =>
      [...readFileSync(join(checkout, path), "utf8").matchAll(/ from "(\.[^"]+)"/g)].map(([, from = ""]) =>
        join(path, "..", from),
      ),
    ),
  ];
  const isLookedAt = (path: string): boolean => whatRuns.some((each) => path === each || path.startsWith(`${each}/`));
  assert.deepEqual(
    run.filter((path) => !isLookedAt(path)),
    [],
  );
  for (const each of whatRuns) assert.ok(existsSync(join(checkout, each)), each);
  assert.match(readFileSync(join(checkout, "cli/main.ts"), "utf8"), /"build", "compile-cache"/);
  assert.deepEqual(compiled, ["build/cli", "build/compile-cache"]);
});

test("a host that is none, or of another version, is told of", async () => {
  const folder = tempFolder("trilane-install-host-");
  const script = (text: string): string => {
    const path = join(folder, "host");
    writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return path;
  };
  await assert.rejects(tryHost(script("echo broken >&2; exit 1")), /broken/);
  const answer = JSON.stringify({ id: 1, ok: true, version: "9.9.9", features: [] });
  const length = `\\${answer.length.toString(8)}\\000\\000\\000`;
  await assert.rejects(
    tryHost(script(`printf '${length}%s' '${answer}'; cat >/dev/null`)),
    /is of version 9\.9\.9, this is .*: run `npm run setup`/,
  );
  await assert.rejects(tryHost(script("printf 'not a frame at all'; cat >/dev/null")), /answered what is no answer/);
});

test("bad words are one line with status 2", async () => {
  const folder = tempFolder("trilane-install-host-");
  for (const [words, message] of [
    [["--browser", "netscape"], /--browser "netscape": is none of chrome, chromium, edge, brave/],
    [["--system", "--home", folder], /leave out --home/],
    [["--system", "--user-data-dir", folder], /give one of them/],
    [["--user-data-dir", ""], /--user-data-dir: a value is missing: give FOLDER/],
    [["--browser", "edge", "--user-data-dir", folder], /leave out --browser/],
  ] as const) {
    const { status, out, err } = await run({ HOME: folder }, ...words);
    assert.deepEqual([status, out], [2, ""], words.join(" "));
    assert.match(err, /^trilane: [^\n]+\n$/);
    assert.match(err, message);
  }
  assert.deepEqual(readdirSync(folder), []);
});

test("a file of the launcher's name that is not ours stays, and nothing is written", async () => {
  const folder = tempFolder("trilane-install-host-");
  const home = join(folder, "data");
  const installed = await run({ HOME: folder }, "--home", home, "--json");
  const launcher = (JSON.parse(installed.out) as HostInstalled).program ?? "";
  assert.equal((await run({ HOME: folder }, "--home", home, "--uninstall")).status, 0);
  mkdirSync(dirname(launcher), { recursive: true });
  writeFileSync(launcher, "#!/bin/sh\n# my own\n");
  const { status, out, err } = await run({ HOME: folder }, "--home", home);
  assert.deepEqual([status, out], [2, ""]);
  assert.equal(err, `trilane: ${launcher}: is not Trilane's: move it away, or name another data folder with --home\n`);
  assert.equal(readFileSync(launcher, "utf8"), "#!/bin/sh\n# my own\n");
  assert.deepEqual(readdirSync(join(folder, ".config")), ["trilane"]);
});

test("what is no file stands in the way, and nothing is written or removed", async () => {
  const folder = tempFolder("trilane-install-host-");
  const hosts = join(folder, ".config", "chromium", "NativeMessagingHosts");
  const path = join(hosts, `${hostName}.json`);
  mkdirSync(hosts, { recursive: true });
  for (const make of [() => mkdirSync(path), () => execFileSync("mkfifo", [path])]) {
    make();
    for (const words of [["--uninstall"], []]) {
      const { status, out, err } = await run({ HOME: folder }, ...words);
      assert.deepEqual([status, out, err], [2, "", `trilane: ${path}: is not a file: move it away\n`]);
      assert.deepEqual(readdirSync(join(folder, ".config")), ["chromium"]);
    }
    rmSync(path, { recursive: true });
  }
});
