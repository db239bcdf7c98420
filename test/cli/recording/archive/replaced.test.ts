// A recording that another process replaces between two pages of one that reads it: what is read is one of the two, whole.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, type TestContext, test } from "node:test";
import { RunError } from "../../../../cli/base/errors.ts";
import { withArchive } from "../../../../cli/recording/archive/client.ts";
import { HostConversation } from "../../../../cli/recording/archive/host.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { refusedIn } from "../../refused.ts";
import { exchange } from "./example_recording.ts";

let home: string;

beforeEach(() => {
  home = tempFolder("trilane-replaced-");
});

/** A page of `show` ends with 256 KiB, one of `verify` with 1000 exchanges: each takes two. */
const wide = { amount: 3, filling: "x".repeat(100_000) };
const long = { amount: 1001, filling: "" };
const short = { amount: 1, filling: "" };

/** Without a body of one digest, whatever the version: it does not cover the headers of requests. */
async function store(version: string, { amount, filling } = wide, body?: Buffer): Promise<void> {
  const page = { name: "page", url: "https://www.example.org/", source: version, notes: {}, replace: true };
  await withArchive(home, (archive) =>
    archive.write(page, async (writer) => {
      for (let index = 0; index < amount; index++)
        await writer.add({
          exchange: exchange(`/${index}`, { request_headers: [["x-version", `${version} ${filling}`]] }),
          body: index === 0 ? body : undefined,
        });
    }),
  );
}

const remove = (): Promise<void> => withArchive(home, (archive) => archive.remove("page"));

type Send = typeof HostConversation.prototype.send;
type IsMeant = (...message: Parameters<Send>) => boolean;

const isLaterPage: IsMeant = (_, fields) => typeof fields?.from === "number" && fields.from > 0;

/** Lets `meanwhile` happen before every message that is meant. */
function before(t: TestContext, isMeant: IsMeant, meanwhile: (time: number) => Promise<void>): void {
  const send = HostConversation.prototype.send;
  let times = 0;
  async function sendLater(this: HostConversation, ...message: Parameters<Send>) {
    if (isMeant(...message)) await meanwhile(times++);
    return await send.call(this, ...message);
  }
  t.mock.method(HostConversation.prototype, "send", sendLater);
}

async function assertShown(version: string): Promise<void> {
  const { recording, exchanges } = await withArchive(home, (archive) => archive.show("page"));
  assert.equal(recording.source, version);
  assert.deepEqual(
    exchanges.map(({ seq, request_headers }) => [seq, request_headers[0]?.[1].split(" ")[0]]),
    [0, 1, 2].map((seq) => [seq, version]),
  );
}

test("what is replaced between two pages is shown anew, and so is what is stored again", async (t) => {
  await store("first");
  before(t, isLaterPage, async (time) => {
    if (time === 0) await store("second");
    if (time === 1) await remove();
    if (time === 1) await store("third", wide, Buffer.from("third"));
  });
  await assertShown("third");
});

test("ids are not given again, so that what is removed and stored again within a second is told apart", async (t) => {
  await store("first");
  before(t, isLaterPage, async (time) => {
    if (time > 0) return;
    await remove();
    await store("second");
  });
  await assertShown("second");
});

for (const [when, isMeant, size] of [
  ["between two pages", (type, fields) => type === "archive.verify" && isLaterPage(type, fields), long],
  ["between its rows and its bodies", (type) => type === "archive.verify", short],
] as const satisfies [string, IsMeant, typeof wide][]) {
  test(`a recording is verified whole, though another took its place ${when}`, async (t) => {
    const body = Buffer.from("first");
    await store("first", size, body);
    const sha256 = createHash("sha256").update(body).digest("hex");
    rmSync(join(home, "bodies", sha256.slice(0, 2), sha256));
    before(t, isMeant, async (time) => {
      if (time === 0) await store("second", size);
    });
    const { recording, exchanges, ...verified } = await withArchive(home, (archive) => archive.verify("page"));
    assert.deepEqual(verified, { digest_matches: true, problems: [] });
    assert.deepEqual([recording.source, exchanges.length], ["second", size.amount]);
    assert.equal(exchanges[0]?.body_sha256, null);
  });
}

test("one that is replaced in the midst of each reading is an error in the end, and one that is removed is not there", async (t) => {
  await store("first");
  let readings = 0;
  before(t, isLaterPage, (time) => {
    readings++;
    return store(`${time}`);
  });
  const show = () => withArchive(home, (archive) => archive.show("page"));
  await assert.rejects(
    show(),
    (error) => error instanceof RunError && /"page".*again and again.*: try/.test(error.message),
  );
  t.mock.restoreAll();
  assert.ok(readings > 1 && readings < 100);
  before(t, isLaterPage, remove);
  await assert.rejects(show(), refusedIn(/"page": not in the archive/));
});
