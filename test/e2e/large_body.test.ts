// Large bodies: one of a gigabyte replayed over TCP's lanes without being in the server's own memory, and one imported
// without being in the command line's. Their files have a hole for the bytes.
// Wide: cli/recording/import, native-host/archive, native-host/replay.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { before, test } from "node:test";
import { programPath } from "../../cli/base/programs.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { tempFolder } from "../temp_folder.ts";
import { recordSite } from "./site.ts";

const home = tempFolder("trilane-large-");

const size = 1_000_000_000;
const most_kB = 64 * 1024;

before(async () => {
  await recordSite(home, "large", [
    { url: "https://large.test/", type: "application/octet-stream", body: "in its place" },
    { url: "https://large.test/empty", type: "text/plain" },
  ]);
  // No hash of a gigabyte is computed for this: the replay does not read what nobody asks for.
  const name = "ab".repeat(32);
  mkdirSync(join(home, "bodies", "ab"), { recursive: true });
  writeFileSync(join(home, "bodies", "ab", name), "");
  truncateSync(join(home, "bodies", "ab", name), size);
  const database = new DatabaseSync(join(home, "archive.db"));
  database.prepare("UPDATE exchange SET body_sha256 = ?, body_size = ? WHERE path = '/'").run(name, size);
  database.close();
});

/** Memory of a process that is neither a file's pages nor shared, in kB. */
const own_kB = (pid: number): number =>
  Number(/^RssAnon:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);

for (const lane of ["--http1.1", "--http2"])
  test(`a gigabyte through the replay, ${lane}`, async () => {
    const replay = spawn(
      programPath("trilane-replay"),
      [
        ...[
          "--home",
          home,
          "--recording",
          "large",
          "--",
          programPath("trilane-shaper"),
          "--link",
          "unlimited/1ms",
          "--",
        ],
        ...[
          "curl",
          "-sk",
          lane,
          "https://large.test/",
          "https://large.test/empty",
          "-o",
          "/dev/null",
          "-o",
          "/dev/null",
        ],
        ...["-w", "%{http_code} %{size_download}\n"],
      ],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    let largest_kB = 0;
    const pid = replay.pid ?? 0;
    const sampled = setInterval(() => {
      largest_kB = Math.max(largest_kB, own_kB(pid));
    }, 50);
    let told = "";
    replay.stdout.on("data", (text: Buffer) => {
      told += text;
    });
    await once(replay, "close");
    clearInterval(sampled);
    assert.equal(told, `200 ${size}\n200 0\n`);
    assert.ok(largest_kB > 0 && largest_kB < most_kB, `${largest_kB} kB`);
  });

/** What the command line has of its own at most while it imports a folder, in kB. */
async function importing_kB(folder: string, name: string): Promise<number> {
  const main = join(import.meta.dirname, "../../cli/main.ts");
  const words = ["--disable-warning=ExperimentalWarning", main, "import", folder, "--name", name, "--home", home];
  const command = spawn(process.execPath, words, { stdio: ["ignore", "ignore", "inherit"] });
  let largest_kB = 0;
  const sampled = setInterval(() => {
    largest_kB = Math.max(largest_kB, own_kB(command.pid ?? 0));
  }, 20);
  const [status] = await once(command, "exit");
  clearInterval(sampled);
  assert.equal(status, 0);
  return largest_kB;
}

test("an import of a large body costs no more memory than one of small ones, nearly", async () => {
  const fixture = join(import.meta.dirname, "../fixtures/mahimahi/shop");
  const folder = join(home, "large");
  mkdirSync(folder);
  // Mahimahi's file by hand: the body is the last field of the last field, and so the end of the file.
  const large_bytes = 160_000_000;
  const field = (number: number, bytes: number): Buffer => {
    const head = [number * 8 + 2];
    for (let rest = bytes; ; rest = Math.floor(rest / 128)) {
      if (rest < 128) return Buffer.from([...head, rest]);
      head.push((rest % 128) | 0x80);
    }
  };
  const text = (number: number, bytes: string | Buffer): Buffer =>
    Buffer.concat([field(number, Buffer.byteLength(bytes)), Buffer.from(bytes)]);
  const header = (name: string, value: string): Buffer => text(2, Buffer.concat([text(1, name), text(2, value)]));
  const request = Buffer.concat([text(1, "GET / HTTP/1.1"), header("Host", "large.test")]);
  const start = Buffer.concat([text(1, "HTTP/1.1 200 OK"), header("Content-Type", "text/html"), field(3, large_bytes)]);
  const path = join(folder, "save.large");
  const head = [text(1, "203.0.113.1"), text(4, request), field(5, start.length + large_bytes), start];
  writeFileSync(path, Buffer.concat(head));
  truncateSync(path, Buffer.concat(head).length + large_bytes);
  const [small_kB, large_kB] = [await importing_kB(fixture, "small"), await importing_kB(folder, "big")];
  // Well below the body's size: what is left is what the collector has not come to yet.
  assert.ok(large_kB - small_kB < 100 * 1024, `${small_kB} kB, with a large body ${large_kB} kB`);
  const recordings = await withArchive(home, (archive) => archive.list());
  assert.equal(recordings.find(({ name }) => name === "big")?.body_bytes, large_bytes);
});
