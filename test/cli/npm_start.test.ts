// `npm start` as package.json has it, with a stand-in for the set-up and for the command line: what a service manager
// sends to npm has to reach the command line itself, not end a shell that leaves it running.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "../temp_folder.ts";

const checkout = join(import.meta.dirname, "..", "..");
const folder = tempFolder("trilane-npm-start-");

// It says what it was started with and which signal came, and stops by itself where none does.
const standIn = `#!${process.execPath}
const said = (word) => process.stdout.write(word + "\\n");
for (const name of ["SIGTERM", "SIGINT"]) process.on(name, () => { said(name); process.exit(0); });
setTimeout(() => process.exit(1), 20000);
said("pid " + process.pid + " " + process.argv.slice(2));
`;

mkdirSync(join(folder, "cli", "install"), { recursive: true });
copyFileSync(join(checkout, "package.json"), join(folder, "package.json"));
writeFileSync(join(folder, "cli", "install", "setup.sh"), "exit 0\n");
// Not a module: the package's type is, but this file has no extension.
writeFileSync(join(folder, "cli", "trilane"), standIn, { mode: 0o755 });

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`${signal} to npm start ends what it started`, { timeout: 60_000 }, async () => {
    const npm = spawn("npm", ["start", "--silent"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
    const closed = once(npm, "close");
    let said = "";
    npm.stdout.setEncoding("utf8");
    for await (const text of npm.stdout) {
      said += text;
      if (said.endsWith("start\n")) npm.kill(signal);
    }
    // The output ends when its last holder has ended, which is the stand-in, npm or not.
    await closed;
    assert.match(said, new RegExp(`^pid \\d+ start\n${signal}\n$`));
  });
}
