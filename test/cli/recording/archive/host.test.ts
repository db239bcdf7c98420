// trilane-host as a program: its answers are as the schema says, and bad input ends it in order.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { programPath } from "../../../../cli/base/programs.ts";
import { FrameReader, frameOf } from "../../../../cli/recording/archive/host.ts";
import { schemaErrors } from "../../../schemas/schema_errors.ts";
import { tempFolder } from "../../../temp_folder.ts";

const host = programPath("trilane-host");
const schemas = join(import.meta.dirname, "..", "..", "..", "..", "schemas");
const folder = tempFolder("trilane-host-");
const home = join(folder, "home");

interface Answer {
  readonly id: number | null;
  readonly ok: boolean;
  readonly error?: { readonly code: string };
}

/** What the host answers to these bytes on its standard input, and how it ends. */
function talk(input: Buffer, words: readonly string[] = ["--home", home]) {
  const { status, stdout, stderr } = spawnSync(host, words, { input, timeout: 300_000 });
  const answers = [...new FrameReader().read(stdout)].map((bytes) => JSON.parse(bytes.toString()) as Answer);
  for (const answer of answers) assert.equal(schemaErrors("message", answer, "answer"), null, JSON.stringify(answer));
  return { answers, status, stderr: stderr.toString() };
}

const frames = (messages: readonly unknown[]) =>
  Buffer.concat(messages.map((message) => frameOf(Buffer.from(JSON.stringify(message)))));
const example = (name: string) =>
  JSON.parse(readFileSync(join(schemas, "examples", "message", `${name}.json`), "utf8")) as unknown;

test("every answer of a whole conversation is as the schema says", () => {
  const names = ["hello", "list", "begin", "exchange", "body", "exchange_upload", "exchange_empty", "exchange_post"];
  const more = ["commit_notes", "list", "show", "show_from", "verify", "verify_from", "show_impossible_name", "abort"];
  const { answers, status, stderr } = talk(frames([...names, ...more, "remove", "remove"].map(example)));
  assert.equal(status, 0);
  assert.equal(stderr, "");
  assert.deepEqual(
    answers.map(({ error }) => error?.code ?? "ok"),
    [...Array(14).fill("ok"), "not-found", "no-transaction", "ok", "not-found"],
  );
});

test("input from a file is taken as well as from a pipe", () => {
  const path = join(folder, "messages");
  writeFileSync(path, frames([example("hello")]));
  const file = openSync(path, "r");
  const { status, stdout } = spawnSync(host, ["--home", home], { stdio: [file, "pipe", "pipe"], timeout: 300_000 });
  closeSync(file);
  assert.equal(status, 0);
  assert.equal([...new FrameReader().read(stdout)].length, 1);
});

test("a length that cannot be is answered, and ends the conversation with status 2", () => {
  const { answers, status, stderr } = talk(
    Buffer.concat([frames([example("hello")]), Buffer.from("GET / HTTP/1.1\r\n")]),
  );
  assert.deepEqual(
    answers.map(({ id, error }) => [id, error?.code]),
    [
      [1, undefined],
      [null, "malformed"],
    ],
  );
  assert.equal(status, 2);
  assert.match(stderr, /^trilane-host: [^\n]+64 MiB[^\n]+\n$/);
});

test("input that ends inside a message is told, with status 2", () => {
  const whole = frames([example("hello")]);
  for (const size of [1, 3, 4, whole.length - 1]) {
    const { answers, status, stderr } = talk(whole.subarray(0, size));
    assert.equal(status, 2);
    assert.deepEqual(answers, []);
    assert.match(stderr, /^trilane-host: [^\n]+\n$/);
  }
  assert.equal(talk(Buffer.alloc(0)).status, 0);
});

test("a reader that has gone ends it with status 1", async () => {
  const child = spawn(host, ["--home", home], { stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => {});
  child.stdout.destroy();
  await once(child.stdout, "close");
  child.stdin.write(frames([example("hello")]));
  const [status] = (await once(child, "close")) as [number];
  assert.equal(status, 1);
});

test("a signal ends it in order", async () => {
  for (const [signal, expected] of [
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const) {
    const child = spawn(host, ["--home", home], { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.write(frames([example("begin")]));
    await once(child.stdout, "data");
    child.kill(signal);
    const [status] = (await once(child, "close")) as [number];
    assert.equal(status, expected);
  }
});

test("a browser is answered for our extension only", () => {
  const { id, firefox_id } = JSON.parse(readFileSync(join(schemas, "extension.json"), "utf8")) as {
    readonly id: string;
    readonly firefox_id: string;
  };
  const ours = `chrome-extension://${id}/`;
  assert.equal(talk(frames([example("hello")]), [ours, "--home", home]).answers.length, 1);
  for (const other of ["chrome-extension://abcdefghijklmnopabcdefghijklmnop/", ours.slice(0, -1), `${ours}x`]) {
    const { answers, status, stderr } = talk(frames([example("hello")]), [other, "--home", home]);
    assert.deepEqual(answers, []);
    assert.equal(status, 2);
    assert.match(stderr, /^trilane-host: chrome-extension:[^\n]+is not Trilane's extension[^\n]+\n$/);
  }
  const manifest = "/home/u/.mozilla/native-messaging-hosts/dev.trilane.host.json";
  assert.equal(talk(frames([example("hello")]), ["--home", home, manifest, firefox_id]).answers.length, 1);
  for (const words of [[manifest, `${firefox_id}x`], [manifest], [firefox_id], [firefox_id, manifest]]) {
    const { answers, status, stderr } = talk(frames([example("hello")]), ["--home", home, ...words]);
    assert.deepEqual([answers, status], [[], 2], words.join(" "));
    assert.match(stderr, /^trilane-host: [^\n]+\n$/);
  }
});

test("--help, --version, and options that are none", () => {
  assert.match(spawnSync(host, ["--help"], { encoding: "utf8" }).stdout, /usage: trilane-host/);
  assert.match(spawnSync(host, ["--version"], { encoding: "utf8" }).stdout, /^trilane-host \d+\.\d+\.\d+\n$/);
  for (const words of [["--frob"], ["--home"], ["somewhere"], ["-x"]]) {
    const { status, stderr } = talk(Buffer.alloc(0), words);
    assert.equal(status, 2, words[0]);
    assert.match(stderr, /^trilane-host: [^\n]+\n$/);
    assert.match(stderr, new RegExp(words[0] ?? ""));
  }
});
