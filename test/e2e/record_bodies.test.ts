// Bodies that a browser's inspector does not keep: larger than its buffer, coded, given up by the page, never read. Recorded byte for
// byte, or as far as they came and said so, each by the one request that the page made, and in bounded memory.
// Wide: cli/recording/record, native-host/archive.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { seededBytes } from "../../cli/recording/fill/seeded.ts";
import { tempFolder } from "../temp_folder.ts";
import { type LocalSite, openLocalSite, sendAll } from "./local_site.ts";

const scratch = tempFolder("trilane-record-bodies-");
const home = join(scratch, "home");

// Beyond what is asked of the inspector (64 MB in all).
const large = seededBytes("large", 80_000_000);
const text = Buffer.alloc(20_000_000, "some text that packs well ");
const packed = gzipSync(text, { level: 1 });
const small = Buffer.alloc(100_000, "x");
const page = `<!doctype html><title>bodies</title><script>
const drain = async (url) => {
  const reader = (await fetch(url)).body.getReader();
  while (!(await reader.read()).done);
};
fetch("/whole").then((response) => response.arrayBuffer());
drain("/stream");
fetch("/packed").then((response) => response.text());
fetch("/unread-small").then((response) => { window.kept = response; });
fetch("/given-up").then(async (response) => {
  const reader = response.body.getReader();
  await reader.read();
  await reader.cancel();
});
</script>`;

let site: LocalSite;
before(async () => {
  site = await openLocalSite(scratch, (request, response) => {
    const bytes = { "content-type": "application/octet-stream" };
    if (request.url === "/") response.writeHead(200, { "content-type": "text/html" }).end(page);
    else if (/^\/(whole|stream|given-up)$/.test(request.url)) sendAll(response, large, bytes);
    else if (request.url === "/packed") sendAll(response, packed, { ...bytes, "content-encoding": "gzip" });
    else if (request.url === "/unread-small") sendAll(response, small, bytes);
    else response.writeHead(404).end();
  });
});
after(() => site.close());

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** Memory of a process that is neither a file's pages nor shared, in kB. */
function own_kB(pid: number): number {
  try {
    return Number(/^RssAnon:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

async function record(): Promise<{ said: string; largest_kB: number }> {
  const main = join(import.meta.dirname, "../../cli/main.ts");
  const words = ["record", `${site.origin}/`, "--name", "bodies", "--home", home, "--trust", site.certificate];
  const command = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", main, ...words, "--no-time-servers", "--timeout", "120"],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let largest_kB = 0;
  const sampled = setInterval(() => {
    largest_kB = Math.max(largest_kB, own_kB(command.pid ?? 0));
  }, 50);
  let said = "";
  command.stdout.on("data", (piece: Buffer) => {
    said += piece;
  });
  const [status] = await once(command, "close");
  clearInterval(sampled);
  assert.equal(status, 0, said);
  return { said, largest_kB };
}

test("large, streamed, coded and unread bodies are stored byte for byte, one that was given up as far as it came", async () => {
  const { said, largest_kB } = await record();
  const { exchanges } = await withArchive(home, (archive) => archive.show("bodies"));
  const of = (path: string) => {
    const found = exchanges.filter((exchange) => exchange.path === path);
    assert.equal(found.length, 1, path);
    assert.equal(site.requests.get(path), 1, `${path} is asked for once`);
    return found[0];
  };
  for (const [path, body] of [
    ["/whole", large],
    ["/stream", large],
    ["/packed", packed],
    ["/unread-small", small],
  ] as const) {
    const exchange = of(path);
    assert.deepEqual([exchange?.body_size, exchange?.body_sha256], [body.length, sha256(body)], path);
    assert.equal(exchange?.body_origin, "recorded");
    assert.equal(exchange?.recorded.read_partly, undefined, path);
  }
  const givenUp = of("/given-up");
  const size = givenUp?.body_size ?? 0;
  assert.ok(size > 0 && size < large.length, `${size} bytes`);
  assert.equal(givenUp?.body_sha256, sha256(large.subarray(0, size)));
  assert.equal(givenUp?.recorded.read_partly, true);
  assert.match(said, /1 body not read to the end by the page: stored as far as received/);
  assert.ok(largest_kB > 0 && largest_kB < 400 * 1024, `${largest_kB} kB for ${2 * large.length} bytes`);
});
