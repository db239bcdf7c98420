// The archive from the command line's side, with the real trilane-host: an error leaves nothing behind, and no end of either side
// leaves a process or a half recording.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { RunError, UserError } from "../../../../cli/base/errors.ts";
import { programPath } from "../../../../cli/base/programs.ts";
import { withArchive } from "../../../../cli/recording/archive/client.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { refusedIn } from "../../refused.ts";
import { exchange, newRecording, sha256 } from "./example_recording.ts";

const host = programPath("trilane-host");
let folder: string;
let home: string;

beforeEach(() => {
  folder = tempFolder("trilane-archive-");
  home = join(folder, "home");
});

/** trilane-host under a name that leaves its process number behind. */
function tracedHost(): { program: string; pid: () => number } {
  const program = join(folder, "host");
  const pidFile = join(folder, "pid");
  writeFileSync(program, `#!/bin/sh\necho $$ > ${pidFile}\nexec ${host} "$@"\n`);
  chmodSync(program, 0o755);
  return { program, pid: () => Number(readFileSync(pidFile, "utf8")) };
}

function lives(pid: number): boolean {
  try {
    // One that nobody reaps yet is gone, too.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

async function untilGone(pid: number): Promise<void> {
  for (let waited_ms = 0; lives(pid); waited_ms += 20) {
    assert.ok(waited_ms < 20_000, `process ${pid} is still there`);
    await delay(20);
  }
}

function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
}

test("a stream that fails leaves no recording, and a damaged body is found", async () => {
  await withArchive(home, async (archive) => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(3_000_000);
      throw new UserError("cut off");
    }
    await assert.rejects(
      archive.write(newRecording("page"), (writer) => writer.add({ exchange: exchange("/"), body: failing() })),
      /cut off/,
    );
    assert.deepEqual(await archive.list(), []);
    await archive.write(newRecording("page"), (writer) =>
      writer.add({ exchange: exchange("/"), body: Buffer.from("hello") }),
    );
    const name = sha256(Buffer.from("hello"));
    writeFileSync(join(home, "bodies", name.slice(0, 2), name), "hallo");
    assert.deepEqual((await archive.verify("page")).problems, [
      { seq: 0, part: "response", sha256: name, problem: "content" },
    ]);
  });
});

test("a writer that throws leaves nothing, and its error comes through", async () => {
  const { program, pid } = tracedHost();
  const failure = new Error("the HAR ends here");
  const writing = withArchive(
    home,
    (archive) =>
      archive.write(newRecording("page"), async (writer) => {
        await writer.add({ exchange: exchange("/"), body: Buffer.from("hello") });
        throw failure;
      }),
    program,
  );
  await assert.rejects(writing, (error) => error === failure);
  assert.equal(lives(pid()), false);
  assert.deepEqual(
    filesIn(join(home, "bodies")).filter((name) => name !== "lock"),
    [],
  );
  await withArchive(home, async (archive) => assert.deepEqual(await archive.list(), []));
});

test("an exchange that is refused fails the recording, also when nobody waited for it", async () => {
  await withArchive(home, async (archive) => {
    const writing = archive.write(newRecording("page"), async (writer) => {
      writer.add({ exchange: exchange("no path"), body: Buffer.from("hello") }).catch(() => {});
    });
    await assert.rejects(writing, (error) => error instanceof RunError && /path/.test(error.message));
    assert.deepEqual(await archive.list(), []);
    // The conversation goes on.
    await archive.write(newRecording("page"), (writer) => writer.add({ exchange: exchange("/") }));
    assert.equal((await archive.list()).length, 1);
  });
});

test("of many that are on their way, the first that is refused is named, and nothing of the recording stays", async () => {
  await withArchive(home, async (archive) => {
    let added = 0;
    const writing = archive.write(newRecording("page"), async (writer) => {
      for (; added < 100; added++)
        await writer.add({ exchange: exchange(added === 4 ? "no path" : `/${added}`), body: Buffer.from("all alike") });
    });
    await assert.rejects(writing, (error) => error instanceof RunError && /path/.test(error.message));
    // Who adds hears of it at the latest when as many are on their way as may be.
    assert.ok(added >= 4 && added < 30, `${added} were added`);
    assert.deepEqual(await archive.list(), []);
    await archive.write(newRecording("page"), (writer) =>
      writer.add({ exchange: exchange("/"), body: Buffer.from("all alike") }),
    );
    const { exchanges } = await archive.verify("page");
    assert.equal(exchanges.length, 1);
  });
});

test("a host that is killed half-way is a RunError, and leaves the archive as it was", async () => {
  const { program, pid } = tracedHost();
  await withArchive(home, (archive) =>
    archive.write(newRecording("before"), (writer) => writer.add({ exchange: exchange("/") })),
  );
  const writing = withArchive(
    home,
    (archive) =>
      archive.write(newRecording("page"), async (writer) => {
        await writer.add({ exchange: exchange("/"), body: Buffer.from("hello") });
        process.kill(pid(), "SIGKILL");
        await writer.add({ exchange: exchange("/next"), body: Buffer.alloc(5_000_000) });
      }),
    program,
  );
  await assert.rejects(writing, (error) => error instanceof RunError && /trilane-host.*SIGKILL/.test(error.message));
  await withArchive(home, async (archive) => {
    assert.deepEqual(
      (await archive.list()).map(({ name }) => name),
      ["before"],
    );
    await archive.write(newRecording("page"), (writer) => writer.add({ exchange: exchange("/") }));
  });
  assert.deepEqual(
    filesIn(join(home, "bodies")).filter((name) => name !== "lock"),
    [],
  );
});

test("a host that cannot be started, ends at once or talks nonsense is a RunError", async () => {
  const nonsense = join(folder, "nonsense");
  writeFileSync(nonsense, "#!/bin/sh\nyes nonsense\n");
  chmodSync(nonsense, 0o755);
  for (const [program, says] of [
    [join(folder, "absent"), /cannot be started/],
    ["/bin/false", /ended with status 1/],
    [nonsense, /no answer/],
  ] as const) {
    const listing = withArchive(home, (archive) => archive.list(), program);
    await assert.rejects(listing, (error) => error instanceof RunError && says.test(error.message), program);
  }
});

test("a host's own error comes through: an archive of a newer Trilane", async () => {
  await withArchive(home, (archive) =>
    archive.write(newRecording("page"), (writer) => writer.add({ exchange: exchange("/") })),
  );
  const database = new DatabaseSync(join(home, "archive.db"));
  database.exec("PRAGMA user_version = 99");
  database.close();
  await withArchive(home, async (archive) => {
    const refused = refusedIn(/newer Trilane.*: update/);
    await assert.rejects(archive.list(), refused);
    await assert.rejects(
      archive.write(newRecording("other"), async () => {}),
      refused,
    );
  });
});

test("a command that is killed leaves no host and no recording", async () => {
  const { program, pid } = tracedHost();
  const client = join(import.meta.dirname, "..", "..", "..", "..", "cli", "recording", "archive", "client.ts");
  const script = `
    const { withArchive } = await import(${JSON.stringify(client)});
    await withArchive(${JSON.stringify(home)}, (archive) => archive.write(${JSON.stringify(newRecording("page"))}, async (writer) => {
      await writer.add({ exchange: ${JSON.stringify(exchange("/"))}, body: Buffer.from("hello") });
      process.stdout.write("written\\n");
      setInterval(() => {}, 1000);
      await new Promise(() => {});
    }), ${JSON.stringify(program)});`;
  const command = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(command.stdout, "data");
  assert.ok(lives(pid()));
  command.kill("SIGKILL");
  await once(command, "close");
  await untilGone(pid());
  await withArchive(home, async (archive) => assert.deepEqual(await archive.list(), []));
});
