// Programs beside live servers run from the first load to the last, and no longer.
import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { UserError } from "../../cli/base/errors.ts";
import { tempFolder } from "../temp_folder.ts";
import { type LiveProgram, withPrograms } from "./live_programs.ts";

/** Says at each connection how many it had. */
const counter = `let n = 0; require("node:net").createServer((socket) => socket.end(String(++n))).listen(process.argv[1])`;

async function said(socket: string): Promise<string> {
  const connection = connect(socket).setEncoding("utf8");
  let text = "";
  connection.on("data", (part: string) => {
    text += part;
  });
  await once(connection, "close");
  return text;
}

function inFolder<Result>(use: (program: LiveProgram) => Promise<Result>): Promise<Result> {
  const folder = tempFolder("trilane-test-");
  const socket = join(folder, "socket");
  const program = { command: [process.execPath, "-e", counter, socket], socket };
  return use(program).finally(() => rmSync(folder, { recursive: true, force: true }));
}

test("one program answers all loads, with what it kept of those before, and ends after them", async () => {
  await inFolder(async (program) => {
    const answers = await withPrograms([program], async () => [await said(program.socket), await said(program.socket)]);
    assert.deepEqual(answers, ["1", "2"]);
    await assert.rejects(said(program.socket), { code: /ENOENT|ECONNREFUSED/ });
  });
});

test("it ends also if the loads fail", async () => {
  await inFolder(async (program) => {
    const failing = withPrograms([program], () => Promise.reject(new Error("no load")));
    await assert.rejects(failing, /no load/);
    await assert.rejects(said(program.socket), { code: /ENOENT|ECONNREFUSED/ });
  });
});

test("a program that does not start is named", async () => {
  const program = { command: ["/nonexistent/database"], socket: "/nonexistent/socket" };
  await assert.rejects(
    withPrograms([program], () => undefined),
    (error) => error instanceof UserError && error.message.includes("/nonexistent/database"),
  );
});
