// The archive from the command line's side, with the real trilane-host: what is written is read. How writing can end early is in
// client_ends.test.ts.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, test } from "node:test";
import { UserError } from "../../../../cli/base/errors.ts";
import type { JsonObject, NewBody, NewExchange } from "../../../../cli/recording/archive/archive.ts";
import { withArchive } from "../../../../cli/recording/archive/client.ts";
import type { Recorded } from "../../../../schemas/generated/recorded.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { refusedIn } from "../../refused.ts";
import { exchange, newRecording, sha256 } from "./example_recording.ts";

let home: string;

beforeEach(() => {
  home = join(tempFolder("trilane-archive-"), "home");
});

/** The digest by its description in native-host/archive/recording_digest.h; the first kind does not cover `recorded`. */
function digestOf(exchanges: readonly NewExchange[], kind: 1 | 2 = 2): string {
  const hash = createHash("sha256");
  const add = (field: string | number) => {
    const bytes = Buffer.from(String(field));
    const size = Buffer.alloc(8);
    size.writeBigUInt64BE(BigInt(bytes.length));
    hash.update(size).update(bytes);
  };
  add(`trilane/recording/${kind}`);
  for (const { exchange: e, body, requestBody } of exchanges) {
    for (const field of [e.method, e.scheme, e.host, e.port, e.path]) add(field);
    add(requestBody ? sha256(requestBody) : "");
    for (const field of [e.address, e.status, e.response_headers.length, ...e.response_headers.flat()]) add(field);
    add(body ? sha256(body) : "");
    if (kind === 1) continue;
    const { server_time_ms, rtt_ms, connection, tls } = e.recorded as Recorded;
    for (const time_ms of [server_time_ms, rtt_ms]) add(typeof time_ms === "number" ? Math.round(time_ms * 1000) : "");
    for (const known of [connection, tls?.chain_bytes, tls?.record_bytes, tls?.group]) add(known ?? "");
    const names = tls?.names ?? [];
    for (const field of [names.length, ...names]) add(field);
  }
  return hash.digest("hex");
}

test("an archive that does not exist is empty, and looking makes nothing", async () => {
  await withArchive(home, async (archive) => {
    assert.deepEqual(await archive.list(), []);
    await assert.rejects(archive.show("a"), UserError);
    await assert.rejects(archive.remove("a"), UserError);
  });
  assert.equal(existsSync(home), false);
});

test("what is written is shown, listed and digested; large bodies go in pieces", async () => {
  const large = Buffer.alloc(3_500_001, "large body ");
  const tls = { version: "TLS 1.3", names: ["www.example.org", "example.org"], issuer: null, chain_bytes: 3000 };
  const exchanges: NewExchange[] = [
    {
      exchange: exchange("/", {
        recorded: { protocol: "h2", server_time_ms: 12.3456, rtt_ms: 7, connection: "9", tls },
      }),
      body: Buffer.from("hello"),
    },
    { exchange: exchange("/large", { body_origin: "filled", address: "2001:db8::1" }), body: large },
    {
      exchange: exchange("/post", { method: "POST", host: "api.example.org", status: 204, body_origin: "recorded" }),
      requestBody: large.subarray(1),
    },
    {
      exchange: exchange("/ü?".replace("ü", "%C3%BC"), { response_headers: [["x-name", "grüße"]] }),
      body: new Uint8Array([0xff]),
    },
  ];
  const written = await withArchive(home, (archive) =>
    archive.write(newRecording("page"), async (writer) => {
      for (const each of exchanges) await writer.add(each);
      writer.note({ filled: 1 });
    }),
  );
  await withArchive(home, async (archive) => {
    assert.deepEqual(await archive.list(), [written]);
    const { recording, exchanges: shown } = await archive.show("page");
    assert.deepEqual(recording, written);
    assert.deepEqual(
      shown,
      exchanges.map(({ exchange: e, body, requestBody }, seq) => ({
        ...e,
        seq,
        body_origin: body ? e.body_origin : "empty",
        body_sha256: body ? sha256(body) : null,
        body_size: body?.byteLength ?? 0,
        request_body_sha256: requestBody ? sha256(requestBody) : null,
      })),
    );
  });
  const { id, recorded_at, created_at, ...rest } = written;
  assert.equal(recorded_at, null);
  assert.ok(id > 0 && Date.parse(created_at) > 0);
  assert.deepEqual(rest, {
    name: "page",
    url: "https://www.example.org/",
    source: "test",
    digest: digestOf(exchanges),
    notes: { filled: 1 },
    exchanges: 4,
    hosts: 2,
    addresses: 2,
    body_bytes: 5 + large.byteLength + 1,
    filled: 1,
  });
  const body = join(home, "bodies", sha256(large).slice(0, 2), sha256(large));
  assert.ok(readFileSync(body).equals(large));
});

/** Bytes in chunks of a few sizes, from a buffer that each chunk overwrites, as a reader of a file may do. */
async function* streamed(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const sizes = [1, 70_000, 3_000_000, 0, 1_048_576, 5];
  const room = Buffer.alloc(3_000_000);
  for (let start = 0, turn = 0; start < bytes.byteLength; turn++) {
    const part = bytes.subarray(start, start + (sizes[turn % sizes.length] ?? 1));
    room.set(part);
    yield room.subarray(0, part.byteLength);
    start += part.byteLength;
  }
}

test("a body that comes in chunks is stored as one in memory is, read back, and used again by its name", async () => {
  const bodies = [0, 1, 70_001, 1_048_575, 1_048_576, 1_048_577, 5_000_003].map((size) =>
    Buffer.from(Array.from({ length: size }, (_, index) => (index * 31 + size) % 251)),
  );
  await withArchive(home, async (archive) => {
    const write = (name: string, bodyOf: (body: Buffer) => NewBody) =>
      archive.write(newRecording(name), async (writer) => {
        for (const body of bodies)
          await writer.add({ exchange: exchange(`/${body.length}`), body: bodyOf(body), requestBody: bodyOf(body) });
      });
    const whole = await write("whole", (body) => body);
    const chunked = await write("chunked", streamed);
    assert.equal(chunked.digest, whole.digest);
    const { exchanges } = await archive.show("chunked");
    assert.deepEqual(
      exchanges.map(({ body_origin }) => body_origin),
      bodies.map(({ length }) => (length === 0 ? "empty" : "recorded")),
    );
    for (const [index, body] of bodies.entries()) {
      const name = exchanges[index]?.body_sha256;
      if (!name) continue;
      const read: Buffer[] = [];
      for await (const piece of archive.body(name)) read.push(piece);
      assert.ok(Buffer.concat(read).equals(body), `${body.length}`);
    }
    const again = await archive.write(newRecording("again"), async (writer) => {
      for (const { body_sha256, request_body_sha256, ...each } of exchanges)
        await writer.add({
          exchange: each,
          body: body_sha256 === null ? undefined : { sha256: body_sha256 },
          requestBody: request_body_sha256 === null ? undefined : { sha256: request_body_sha256 },
        });
    });
    assert.equal(again.digest, whole.digest);
    const verified = { ...(await archive.show("again")), digest_matches: true, problems: [] };
    assert.deepEqual(await archive.verify("again"), verified);
    await assert.rejects(async () => {
      for await (const _ of archive.body("0".repeat(64)));
    }, UserError);
  });
});

test("exchanges keep the order of the calls, also when nobody waits", async () => {
  await withArchive(home, async (archive) => {
    await archive.write(newRecording("page"), async (writer) => {
      const sizes = [2_500_000, 10, 1_200_000, 0, 20];
      await Promise.all(
        sizes.map((size, index) => writer.add({ exchange: exchange(`/${index}`), body: Buffer.alloc(size, index) })),
      );
    });
    const { exchanges } = await archive.show("page");
    assert.deepEqual(
      exchanges.map(({ path }) => path),
      ["/0", "/1", "/2", "/3", "/4"],
    );
    // One that was shown can be written again.
    const again = await archive.write(newRecording("copy"), async (writer) => {
      for (const each of exchanges.slice(3, 4)) await writer.add({ exchange: each });
    });
    assert.equal(again.exchanges, 1);
  });
});

test("a recording larger than one answer is shown whole", async () => {
  await withArchive(home, async (archive) => {
    await archive.write(newRecording("page"), async (writer) => {
      for (let index = 0; index < 50; index++)
        await writer.add({ exchange: exchange(`/${index}`, { recorded: { filling: "x".repeat(50_000) } }) });
    });
    const { exchanges } = await archive.show("page");
    assert.deepEqual(
      exchanges.map(({ seq }) => seq),
      [...Array(50).keys()],
    );
  });
});

test("a recording with a digest of the first kind is verified by it, and found out where it was changed", async () => {
  const exchanges: NewExchange[] = [{ exchange: exchange("/"), body: Buffer.from("as it was") }];
  await withArchive(home, (archive) =>
    archive.write(newRecording("old"), async (writer) => {
      for (const each of exchanges) await writer.add(each);
    }),
  );
  const database = new DatabaseSync(join(home, "archive.db"));
  database.prepare("UPDATE recording SET digest = ?").run(digestOf(exchanges, 1));
  const verify = () => withArchive(home, (archive) => archive.verify("old"));
  assert.equal((await verify()).digest_matches, true);
  database.exec("UPDATE exchange SET status = 404");
  database.close();
  assert.equal((await verify()).digest_matches, false);
});

test("the digest changes with all that a replay serves by, and with nothing else", async () => {
  const tls = {
    version: "TLS 1.3",
    names: ["a.test"],
    issuer: "x",
    chain_bytes: 3000,
    record_bytes: 4096,
    group: "P-256",
  };
  const known = { server_time_ms: 20, rtt_ms: 10, connection: 1, tls };
  const digests = await withArchive(home, async (archive) => {
    const digestWith = async (recorded: JsonObject): Promise<string> => {
      const each = { exchange: exchange("/", { recorded: { ...known, ...recorded } }) };
      return (await archive.write(newRecording("page", true), (writer) => writer.add(each))).digest;
    };
    return {
      first: await digestWith({}),
      same: [
        await digestWith({ connection: "1", entry: 3, start_offset_ms: 7, priority: "High" }),
        await digestWith({ tls: { ...tls, version: null, issuer: null } }),
      ],
      others: [
        await digestWith({ server_time_ms: 20.001 }),
        await digestWith({ server_time_ms: null }),
        await digestWith({ rtt_ms: 11 }),
        await digestWith({ connection: 2 }),
        await digestWith({ tls: { ...tls, names: ["b.test"] } }),
        await digestWith({ tls: { ...tls, names: [] } }),
        await digestWith({ tls: { ...tls, chain_bytes: null } }),
        await digestWith({ tls: { ...tls, record_bytes: 1300 } }),
        await digestWith({ tls: { ...tls, group: "P-384" } }),
      ],
    };
  });
  for (const digest of digests.same) assert.equal(digest, digests.first);
  assert.equal(new Set([digests.first, ...digests.others]).size, digests.others.length + 1);
});

test("names: taken, replaced, impossible", async () => {
  const fill = (text: string) => (writer: { add: (each: NewExchange) => Promise<void> }) =>
    writer.add({ exchange: exchange("/"), body: Buffer.from(text) });
  await withArchive(home, async (archive) => {
    const first = await archive.write(newRecording("page"), fill("one"));
    await assert.rejects(archive.write(newRecording("page"), fill("two")), refusedIn(/"page".*exists/));
    assert.deepEqual(await archive.list(), [first]);
    const second = await archive.write(newRecording("page", true), fill("two"));
    assert.notEqual(second.digest, first.digest);
    assert.deepEqual(await archive.list(), [second]);
    for (const name of ["", "a/b", "-a", "ä", "a".repeat(101)])
      await assert.rejects(archive.write(newRecording(name), fill("x")), UserError, name);
    await archive.remove("page");
    assert.deepEqual(await archive.list(), []);
  });
});

test("the date of the page load is kept, and no part of the digest", async () => {
  const recorded_at = "2024-02-29T23:59:59.125Z";
  await withArchive(home, async (archive) => {
    const fill: Parameters<typeof archive.write>[1] = (writer) => writer.add({ exchange: exchange("/") });
    const undated = await archive.write(newRecording("undated"), fill);
    const dated = await archive.write({ ...newRecording("dated"), recorded_at }, fill);
    assert.equal(undated.recorded_at, null);
    assert.equal(dated.recorded_at, recorded_at);
    assert.equal((await archive.show("dated")).recording.recorded_at, recorded_at);
    assert.equal(dated.digest, undated.digest);
  });
});
