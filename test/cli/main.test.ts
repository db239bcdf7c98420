// The command line's outer face: help, version, one-line errors with exit status 2, and where data live.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { homeFolder } from "../../cli/base/home.ts";
import { version } from "../../cli/base/version.ts";
import { declaredCommands, loadCommand } from "../../cli/commands/all.ts";
import { helpOf } from "../../cli/commands/help.ts";
import { readWords } from "../../cli/commands/words.ts";
import { run } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";
import { assertRefused } from "./refusal.ts";

const launcher = join(import.meta.dirname, "..", "..", "cli", "trilane");
const home = tempFolder("trilane-main-");

const allCommands = await declaredCommands();

const trilane = (...words: string[]) => run(home, words);

const zeroRefused = /rate must be above 0 \(got "0mbit"\)/;
const zeroRate = ["race", "carlucci-small", "--link", "0mbit/50ms"];

const refused = async (words: string[], line: RegExp): Promise<void> =>
  await assertRefused([...words, "--home", home], line);

test("--version says the version, --help names every command", () => {
  assert.equal(trilane("--version").stdout.trim(), version);
  assert.equal(trilane("-V").stdout.trim(), version);
  const { stdout, status } = trilane("--help");
  assert.equal(status, 0);
  for (const { name } of allCommands) assert.match(stdout, new RegExp(`^  ${name} `, "m"));
});

test("each command's --help has an example and names --json", async () => {
  for (const declared of allCommands) {
    const { command, answer } = readWords([declared], [declared.name, "--help"]);
    assert.deepEqual([command, answer], [declared, "help"]);
    const help = helpOf(declared, { columns: 80, isAll: false });
    assert.match(help, /Examples:/, declared.name);
    assert.match(help, /--json/, declared.name);
    assert.equal((await loadCommand(declared.name))?.summary, declared.summary);
  }
});

test("what the words mean together is refused in one line, and nothing is written", async () => {
  const { status, stderr } = trilane(...zeroRate);
  assert.equal(status, 2, stderr);
  assert.match(stderr, /^trilane: [^\n]+\n$/);
  assert.match(stderr, zeroRefused);
  await refused(zeroRate, zeroRefused);
  await refused(
    ["race", "carlucci-small", "--link", "10mbit"],
    /--link 10mbit: says no round-trip time: write 10mbit\/50ms/,
  );
  await refused(["race", "carlucci-small", "--link", "10"], /rate "10" has no unit/);
  await refused(["race", "carlucci-small", "--link", "3mbit/50ms", "--lanes", "h1,h4"], /h4/);
  await refused(["race", "no-such-page", "--link", "3mbit/50ms"], /no-such-page/);
  await refused(["race", "/nonexistent/page.har", "--link", "3mbit/50ms"], /\/nonexistent\/page\.har/);
  await refused(["import", "/nonexistent/page.har"], /\/nonexistent\/page\.har/);
  await refused(["synth", "no-such-page"], /no-such-page/);
  await refused(["sweep", "/nonexistent/plan.json"], /\/nonexistent\/plan\.json/);
  await refused(["report", "999"], /no results in .*: run `trilane race`/);
  await refused(["export", "--format", "pdf"], /pdf/);
  await refused(["completion", "csh"], /must be bash, zsh or fish \(got "csh"\)/);
  await refused(["shell", "--link", "nonsense", "--", "true"], /nonsense/);
  await refused(["remove", "--everything"], /--everything removes all recordings and results in .*: add --yes/);
  assert.deepEqual(readdirSync(home), []);
});

test("--help-all shows the rare options that --help leaves out, and help COMMAND is COMMAND --help", () => {
  const [help, all, word] = [
    ["race", "--help"],
    ["race", "--help-all"],
    ["help", "race"],
  ].map((words) => trilane(...words));
  assert.match(all?.stdout ?? "", /--tcp-pacing/);
  assert.doesNotMatch(help?.stdout ?? "", /--tcp-pacing/);
  assert.match(help?.stdout ?? "", /--help-all/);
  assert.deepEqual([word?.stdout, all?.status], [help?.stdout, 0]);
});

test("with --json an error is a document on standard error; --debug shows where it arose", () => {
  const { status, stdout, stderr } = trilane("race", "shop", "--runs", "abc", "--json");
  assert.deepEqual([status, stdout], [2, ""]);
  assert.deepEqual(JSON.parse(stderr), {
    schema: "trilane/error/1",
    status: 2,
    message: '--runs: must be a whole number from 1 to 10000 (got "abc")',
  });
  assert.match(trilane("race", "--debug").stderr, /^ +at .*words\.ts/m);
  const debugged = trilane("race", "--debug", "--json");
  assert.deepEqual([debugged.stdout, JSON.parse(debugged.stderr).status], ["", 2]);
  assert.match(JSON.parse(debugged.stderr).stack.join("\n"), /^ +at .*words\.ts/m);
});

test("what nothing explains ends with status 1 and where it arose, as JSON with --json; no control character passes", () => {
  const fault = 'throw new TypeError("a fault\\u001b[31m of ours")';
  for (const thrown of [fault, `setTimeout(() => { ${fault} }); return true`]) {
    const module = `process.stdout.write = () => { ${thrown} }`;
    const environment = { ...process.env, NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(module)}` };
    const ended = (...words: string[]) =>
      spawnSync(launcher, words, { encoding: "utf8", timeout: 60_000, env: environment });
    const text = ended("list", "--home", home);
    assert.equal(text.status, 1, text.stderr);
    assert.match(text.stderr, /^TypeError: a fault\\x1b\[31m of ours\n( +at .*\n)+$/);
    const { status, stderr } = ended("list", "--home", home, "--json");
    assert.match(stderr, /^\P{Cc}+\n$/u);
    const { message, ...rest } = JSON.parse(stderr);
    assert.deepEqual([status, rest], [1, { schema: "trilane/error/1", status: 1 }]);
    assert.match(message, /^TypeError: a fault.\[31m of ours; at [^\n]*$/u);
  }
});

test("the data folder: --home before TRILANE_HOME before an absolute XDG_DATA_HOME before the default", () => {
  const environment = { TRILANE_HOME: "/a", XDG_DATA_HOME: "/b" };
  assert.equal(homeFolder("/c", environment), "/c");
  assert.equal(homeFolder(undefined, environment), "/a");
  assert.equal(homeFolder(undefined, { XDG_DATA_HOME: "/b" }), "/b/trilane");
  assert.match(homeFolder(undefined, { XDG_DATA_HOME: "relative" }), /\.local\/share\/trilane$/);
});

test("a file in place of the data folder, or of one above it, is refused with the remedy", () => {
  const file = join(home, "file");
  writeFileSync(file, "");
  for (const words of [["list"], ["export", "--format", "csv"], ["remove", "shop"]]) {
    const { status, stdout, stderr } = spawnSync(launcher, [...words, "--home", file], { encoding: "utf8" });
    assert.deepEqual([status, stdout], [2, ""], words.join(" "));
    assert.equal(stderr, `trilane: ${file}: is not a folder: name another with --home\n`);
  }
  assert.throws(() => homeFolder(join(file, "below"), {}), /^UserError: .*\/file: is not a folder: name another/);
});

test("a full standard output is one line and status 1", () => {
  const command = `"$0" list --home "$1" > /dev/full`;
  const { status, stderr } = spawnSync("bash", ["-c", command, launcher, home], { encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /^trilane: standard output: no space left[^\n]*\n$/);
});

test("a home on a file system that may only be read is named as such, with the remedy", () => {
  const fixture = join(import.meta.dirname, "..", "fixtures", "har", "chrome-devtools.har");
  const place = mkdtempSync(join(home, "read-only-"));
  const inside = 'mount -t tmpfs -o ro none "$1" && exec "$0" "$2" "$3" --home "$1/not/there"';
  for (const words of [
    ["import", fixture],
    ["race", "carlucci-small"],
  ]) {
    const { stderr } = spawnSync("unshare", ["-Urm", "sh", "-c", inside, launcher, place, ...words], {
      encoding: "utf8",
      timeout: 60_000,
    });
    assert.match(stderr, /^trilane: [^\n]*(cannot be written|may not be written)[^\n]*--home\n$/, words.join(" "));
  }
  rmSync(place, { recursive: true });
});

test("a name's control characters do not reach the terminal", () => {
  const fixture = join(import.meta.dirname, "..", "fixtures", "har", "chrome-devtools.har");
  for (const words of [
    ["import", fixture, "--name", "a\u001b[31m"],
    ["remove", "a\u001b[31m\u009b1m"],
    ["sweep", "carlucci-2015-s3", "--page", "a\u001b[31m\u007f", "--dry-run"],
  ]) {
    const { status, stderr } = trilane(...words);
    assert.equal(status, 2);
    assert.match(stderr, /^trilane: \P{Cc}*\[31m\P{Cc}*\n$/u);
  }
});
