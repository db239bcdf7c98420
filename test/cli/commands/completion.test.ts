// The completion scripts in the shells they are for; a shell that is not installed is skipped by name.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "../../../cli/base/programs.ts";
import { declaredCommands } from "../../../cli/commands/all.ts";
import { completionScript, type Shell } from "../../../cli/commands/completion_scripts.ts";
import { notInstalled } from "../../../cli/install/requirements.ts";
import type { Completion } from "../../../schemas/generated/completion.ts";
import { schemaErrors } from "../../schemas/schema_errors.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-completion-");

const commands = await declaredCommands();

function scriptFile(shell: Shell): string {
  const path = join(folder, shell);
  writeFileSync(path, completionScript(shell, commands));
  return path;
}

function output(program: string, words: readonly string[]): string[] {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: "utf8" });
  assert.deepEqual([status, stderr], [0, ""]);
  return stdout.split("\n").filter((line) => line !== "");
}

/** What bash offers for the last of these words, which it has split as it does. */
function inBash(...words: string[]): string[] {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash's.
  const run = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trilane; printf "%s\\n" "${COMPREPLY[@]}"';
  return output("bash", ["-c", run, scriptFile("bash"), "trilane", ...words]);
}

test("bash completes commands, actions, options and their choices, and leaves file names to readline", () => {
  assert.deepEqual(inBash("rec"), ["record", "recording"]);
  assert.deepEqual(inBash("recording", "sh"), ["show"]);
  assert.deepEqual(inBash("recording", "show", "--req"), ["--requests"]);
  assert.deepEqual(inBash("race", "shop", "--li"), ["--link"]);
  assert.deepEqual(inBash("race", "shop", "--tls", ""), ["1.2", "1.3", "both"]);
  assert.deepEqual(inBash("race", "shop", "--tls", "=", "1"), ["1.2", "1.3"]);
  assert.deepEqual(inBash("race", "shop", "--tls", "="), ["1.2", "1.3", "both"]);
  assert.deepEqual(inBash("race", "--link", "re"), [], "a value is no command");
  assert.deepEqual(inBash("race", "list", "--dec"), ["--decide"], "a page may be called as a command is");
  assert.deepEqual(inBash("--vers"), ["--version"]);
  assert.deepEqual(inBash("plan", "my-plan.json", "--onc"), [], "what help hides");
  assert.deepEqual(inBash("shell", "--link", "3g", "--", "rec"), [], "the words of another program");
});

test("with --json the script comes in a document", () => {
  const [line = ""] = output(join(checkout, "cli", "trilane"), ["completion", "fish", "--json"]);
  const document = JSON.parse(line) as Completion;
  assert.equal(schemaErrors("completion", document), null);
  assert.equal(document.script, completionScript("fish", commands));
});

/** What zsh's own parts of completion are asked to offer. */
const zshParts = `compdef() { }
compadd() { shift; print -l -- \${(M)@:#$words[CURRENT]*} }
_files() { print FILES }
_describe() { local offered=(\${(P)@[-1]}); compadd -- \${offered%%:*} }
source "$1"; shift; words=(trilane "$@"); CURRENT=$#words; _trilane`;

test("zsh completes commands, actions, options and their choices", { skip: notInstalled(["zsh"]) ?? false }, () => {
  const inZsh = (...words: string[]): string[] =>
    output("zsh", ["-f", "-c", zshParts, "zsh", scriptFile("zsh"), ...words]);
  assert.deepEqual(inZsh("rec"), ["record", "recording"]);
  assert.deepEqual(inZsh("recording", "sh"), ["show"]);
  assert.deepEqual(inZsh("race", "shop", "--li"), ["--link"]);
  assert.deepEqual(inZsh("race", "shop", "--tls", ""), ["1.2", "1.3", "both"]);
  assert.deepEqual(inZsh("race", "--link", "re"), ["FILES"], "a value is no command");
  assert.deepEqual(inZsh("race", "list", "--dec"), ["--decide"], "a page may be called as a command is");
  assert.deepEqual(inZsh("shell", "--link", "3g", "--", "rec"), ["FILES"], "the words of another program");
});

test("fish completes commands, actions, options and their choices", { skip: notInstalled(["fish"]) ?? false }, () => {
  const inFish = (line: string): string[] =>
    output("fish", ["--no-config", "-c", `source ${scriptFile("fish")}; complete -C ${JSON.stringify(line)}`]).map(
      (each) => each.split("\t")[0] ?? "",
    );
  assert.deepEqual(inFish("trilane rec"), ["record", "recording"]);
  assert.deepEqual(inFish("trilane recording sh"), ["show"]);
  assert.deepEqual(inFish("trilane race shop --tls "), ["1.2", "1.3", "both"]);
});
