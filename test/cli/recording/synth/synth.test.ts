// The synthetic pages: what each is made of, against the numbers of the studies, and the archive as the real host writes it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import jpeg from "jpeg-js";
import { UserError } from "../../../../cli/base/errors.ts";
import { withArchive } from "../../../../cli/recording/archive/client.ts";
import { catalogue, pageSpec } from "../../../../cli/recording/synth/catalogue.ts";
import { type SynthPage, synthPage } from "../../../../cli/recording/synth/page.ts";
import { ensureSynth } from "../../../../cli/recording/synth/synthetic.ts";
import { tempFolder } from "../../../temp_folder.ts";

const home = tempFolder("trilane-synth-");

/** Response sizes by content type, the document's left out. */
function objects(page: SynthPage): Map<string, number[]> {
  const sizes = new Map<string, number[]>();
  for (const { exchange, body } of page.exchanges.slice(1)) {
    const [, type = ""] = exchange.response_headers.find(([name]) => name === "content-type") ?? [];
    sizes.set(type, [...(sizes.get(type) ?? []), body?.byteLength ?? 0]);
  }
  return sizes;
}

for (const [name, small, large, total] of [
  ["carlucci-small", 18, 3, 306_300],
  ["carlucci-medium", 40, 7, 709_500],
  ["carlucci-large", 200, 17, 1_990_500],
] as const) {
  test(`${name}: ${small} JPEGs of 2.6 kB, ${large} of 86.5 kB, each decodes`, () => {
    const page = synthPage(pageSpec(name));
    const sizes = objects(page).get("image/jpeg") ?? [];
    assert.equal(sizes.filter((size) => size === 2600).length, small);
    assert.equal(sizes.filter((size) => size === 86_500).length, large);
    assert.equal(sizes.length, small + large);
    assert.equal(
      sizes.reduce((sum, size) => sum + size),
      total,
    );
    for (const { body } of page.exchanges.slice(1)) {
      assert.ok(body);
      assert.ok(jpeg.decode(body, { tolerantDecoding: false }).width > 0);
    }
  });
}

test("every object is referenced once by the document, and all bodies differ", () => {
  for (const { name } of catalogue()) {
    const page = synthPage(pageSpec(name));
    const [document, ...rest] = page.exchanges;
    const html = Buffer.from(document?.body ?? []).toString();
    for (const { exchange } of rest)
      assert.equal(html.split(`"${exchange.path}"`).length, 2, `${name} ${exchange.path}`);
    assert.equal(
      new Set(page.exchanges.map(({ body }) => Buffer.from(body ?? []).toString("latin1"))).size,
      rest.length + 1,
    );
    const listed = catalogue().find((line) => line.name === name);
    assert.equal(listed?.requests, page.exchanges.length);
    assert.equal(
      listed?.object_bytes,
      rest.reduce((sum, { body }) => sum + (body?.byteLength ?? 0), 0),
    );
  }
});

test("object-SIZE is one request whose body has that size", () => {
  for (const [name, size] of [
    ["object-64B", 64],
    ["object-1kB", 1000],
    ["object-2.3MB", 2_300_000],
  ] as const) {
    const page = synthPage(pageSpec(name));
    assert.equal(page.exchanges.length, 1);
    assert.equal(page.exchanges[0]?.body?.byteLength, size);
  }
});

test("-hosts-N spreads the objects over N hosts with an address each", () => {
  const page = synthPage(pageSpec("carlucci-small-hosts-4"));
  const hosts = new Map<string, Set<string>>();
  for (const { exchange } of page.exchanges)
    hosts.set(exchange.host, (hosts.get(exchange.host) ?? new Set()).add(exchange.address));
  assert.equal(hosts.size, 4);
  assert.equal(new Set([...hosts.values()].flatMap((addresses) => [...addresses])).size, 4);
  const html = Buffer.from(page.exchanges[0]?.body ?? []).toString();
  for (const { exchange } of page.exchanges.slice(1)) {
    const url =
      exchange.host === page.exchanges[0]?.exchange.host ? exchange.path : `https://${exchange.host}${exchange.path}`;
    assert.ok(html.includes(`"${url}"`), url);
  }
});

test("a name that is none is refused by name", () => {
  for (const name of [
    "nope",
    "object-",
    "object-1",
    "object-1GB",
    "object-10B",
    "object-1.5B",
    "constructor",
    "carlucci-small-hosts-0",
    "object-1kB-hosts-2",
  ])
    assert.throws(
      () => pageSpec(name),
      (error) => error instanceof UserError && error.message.includes(name.replace(/-hosts-0$/, "")),
      name,
    );
});

test("a page is written once, with the same digest in every archive", async () => {
  const [first, again, other] = await withArchive(home, async (archive) => [
    await ensureSynth(archive, "cse534-mixed"),
    await ensureSynth(archive, "cse534-mixed"),
    await withArchive(join(home, "other"), (elsewhere) => ensureSynth(elsewhere, "cse534-mixed")),
  ]);
  assert.ok(first && again && other);
  assert.equal(again.id, first.id);
  assert.equal(again.created_at, first.created_at);
  assert.equal(other.digest, first.digest);
  assert.equal(first.exchanges, 37);
  assert.equal(first.filled, 0);
});

test("a recording of that name that is no synth page is not overwritten", async () => {
  await withArchive(home, async (archive) => {
    await archive.write(
      { name: "object-1kB", url: "https://a.test/", source: "har: x", notes: {}, replace: false },
      async (writer) => {
        const [only] = synthPage(pageSpec("object-1kB")).exchanges;
        assert.ok(only);
        await writer.add(only);
      },
    );
    await assert.rejects(ensureSynth(archive, "object-1kB"), /object-1kB is not the synth page/);
    assert.equal((await archive.show("object-1kB")).recording.source, "har: x");
  });
});
