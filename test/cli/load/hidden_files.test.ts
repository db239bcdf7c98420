// What a load's browser sees of this machine's files: its own folders, and the home only where nobody knows what it starts.
import assert from "node:assert/strict";
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { programPath } from "../../../cli/base/programs.ts";
import { runProgram } from "../../../cli/base/run_program.ts";
import { hidingArguments } from "../../../cli/load/hidden_files.ts";
import { tempFolder } from "../../temp_folder.ts";

const home = tempFolder("trilane-hidden-");
mkdirSync(join(home, "browser"));
mkdirSync(join(home, "profile"));
writeFileSync(join(home, "secret"), "secret");
const program = join(home, "browser", "browser");
copyFileSync("/bin/sh", program);

const look = `cat ${join(home, "secret")} 2>/dev/null; ls -A /run; [ -d ${join(home, "profile")} ] && echo profile`;

const seen = async (browser: string, script: readonly string[]): Promise<string> => {
  const hiding = hidingArguments({
    program: browser,
    writable: [join(home, "profile")],
    data: join(home, "data"),
    home,
  });
  return (await runProgram(programPath("trilane-shaper"), [...hiding, "--", browser, ...script])).trim();
};

test("a browser outside of the home does not see it, nor any socket in /run", async () => {
  assert.equal(await seen("/bin/sh", ["-c", look]), "profile");
});

test("a browser in the home is shown with its folder only", async () => {
  assert.equal(await seen(program, ["-c", look]), "profile");
});

test("a script in the home sees the home, as it starts something there", async () => {
  const script = join(home, "script");
  writeFileSync(script, `#!/bin/sh\n${look}\n`);
  chmodSync(script, 0o755);
  assert.equal(await seen(script, []), "secretprofile");
});

test("a folder that holds a hidden one is not shown for a browser's sake", () => {
  const words = hidingArguments({ program: "/bin/sh", writable: [], data: dirname(home), home: dirname(home) });
  assert.ok(!words.includes("/"));
  assert.deepEqual(
    words.flatMap((word, index) => (words[index - 1] === "--hide" ? [word] : [])),
    [...new Set(["/run", "/tmp", "/var/tmp", "/dev/shm", dirname(home)])],
  );
  assert.ok(!hidingArguments({ program: "/bin/sh", writable: [], data: "/", home: "/" }).includes("/"));
});

test("its own folder can be written, the program's only read", async () => {
  const write = (path: string): string => `(: >${path}) 2>/dev/null && echo ${path.split("/").at(-2)}`;
  const script = [write(join(home, "profile", "x")), write(join(home, "browser", "x"))].join("; ");
  assert.equal(await seen(program, ["-c", `${script}; true`]), "profile");
});

test("a script outside of a distribution's folders sees the home, as it may start something there", () => {
  const folder = tempFolder("trilane-script-");
  const script = join(folder, "script");
  writeFileSync(script, "#!/bin/sh\n");
  assert.ok(!hidingArguments({ program: script, writable: [], data: home, home }).includes(home));
});

test("a home that is a link is hidden where it leads, and what the browser is reached by stays", async () => {
  const parent = tempFolder("trilane-linked-");
  const linked = join(parent, "home");
  symlinkSync(home, linked);
  const words = { program: join(linked, "browser", "browser"), writable: [join(linked, "profile")] };
  assert.ok(hidingArguments({ ...words, data: linked, home: linked }).includes(home));
  symlinkSync("/bin/sh", join(home, "sh"));
  assert.ok(!hidingArguments({ program: join(home, "sh"), writable: [], data: home, home }).includes(home));
});
