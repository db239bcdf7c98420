// Help, from what commands declare: essentials and examples first, placeholders and defaults, rare options only on request.
import assert from "node:assert/strict";
import { test } from "node:test";
import { declaredCommands, declaredSections } from "../../../cli/commands/all.ts";
import type { Declaration } from "../../../cli/commands/declared.ts";
import { helpOf, programHelp } from "../../../cli/commands/help.ts";
import { manPages } from "../../../cli/commands/man_page.ts";

const commands = await declaredCommands();
const withActions = commands.flatMap((command) => [command, ...command.actions]);
const named = (name: string): Declaration => {
  const found = commands.find((command) => command.name === name);
  assert.ok(found);
  return found;
};

test("examples come first, then the essentials, then the other options; what fits in 80 columns does", () => {
  const help = helpOf(named("race"), { columns: 80, isAll: false });
  const places = ["trilane race <page>", "Examples:", "Essentials:", "--link LINK", "--runs N", "--precise PERCENT"];
  const found = places.map((place) => help.indexOf(place));
  assert.deepEqual(
    found,
    found.toSorted((a, b) => a - b),
  );
  assert.ok(!found.includes(-1), found.join(" "));
  assert.match(help, /\(default:\s+10mbit\/50ms\)/);
  assert.deepEqual(
    help.split("\n").filter((line) => line.length > 80),
    [],
  );
});

test("a list below a command's options keeps its indent in lines that do not fit", () => {
  const lines = helpOf(named("flows"), { columns: 80, isAll: false }).split("\n");
  const at = lines.findIndex((line) => line.startsWith("  quic  QUIC: "));
  assert.ok(at > 0);
  assert.match(lines[at + 1] ?? "", /^ {6}\S/);
  assert.ok(lines.includes("  tls   TLS 1.3 over kernel TCP: cubic, reno, bbr, or what else the kernel has"));
});

test("each option that takes a value has a placeholder, and is said in words", () => {
  for (const command of withActions)
    for (const [name, { type, hidden, describe }] of command.options) {
      if (hidden) continue;
      assert.ok(describe, `${command.name} --${name}`);
      const line = helpOf(command, { columns: 200, isAll: true }).match(new RegExp(`^ {2}--${name}( [^ ]+)? `, "m"));
      assert.ok(line, `${command.name} --${name} is shown`);
      assert.equal(line[1] === undefined, type === "boolean", `${command.name} --${name}: ${line[0]}`);
    }
});

test("rare options are in --help-all only, and --help counts them", () => {
  const [few, all] = [false, true].map((isAll) => helpOf(named("sweep"), { columns: 80, isAll }));
  assert.doesNotMatch(few ?? "", /--evidence/);
  assert.match(few ?? "", /\n\d+ more options: trilane sweep --help-all$/);
  assert.match(all ?? "", /--evidence FOLDER/);
  assert.doesNotMatch(all ?? "", /more options:/);
});

test("an option that a command hides is in no help of it", () => {
  assert.doesNotMatch(helpOf(named("plan"), { columns: 80, isAll: true }), /--once/);
});

test("the program's help has each command with its summary, by section", async () => {
  const sections = await declaredSections();
  const help = programHelp(sections, [["lab", "its programs"]], { columns: 120, isAll: false });
  for (const { name, summary } of commands)
    assert.ok(help.includes(`  ${name} `) && help.includes(summary.split(" ")[0] ?? ""), name);
  assert.doesNotMatch(help, /TRILANE_DEBUG/);
  assert.match(
    programHelp(sections, [["lab", "its programs"]], { columns: 80, isAll: true }),
    /TRILANE_DEBUG=.*\n {2}lab +its/,
  );
});

test("each command and action has a manual page with all its options; no line is a request by accident", () => {
  const pages = manPages([{ title: "All:", commands }], "1.2.3");
  assert.equal(pages.size, 1 + withActions.length);
  assert.match(pages.get("trilane-race.1") ?? "", /\.B \\-\\-tcp\\-initial\\-window PACKETS\n/);
  assert.match(pages.get("trilane-recording-show.1") ?? "", /^\.TH TRILANE\\-RECORDING\\-SHOW 1/);
  const known = /^\.(TH|SH|SS|TP|B|BR|nf|fi)\b/;
  for (const [name, text] of pages)
    for (const line of text.split("\n")) assert.ok(!/^['.]/.test(line) || known.test(line), `${name}: ${line}`);
});
