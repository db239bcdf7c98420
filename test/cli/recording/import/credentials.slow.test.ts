// Cookies and authorization on their way into the archive and out of it: crossed out unless they are asked for, with the
// sizes they had; nothing else is touched.
// Wide: cli/recording/export, cli/recording/import.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { withArchive } from "../../../../cli/recording/archive/client.ts";
import { run } from "../../../product.ts";
import { tempFolder } from "../../../temp_folder.ts";

const folder = tempFolder("trilane-credentials-");
const home = join(folder, "home");

const secrets = ["s3cr3t-session", "t0k3n==", "c2hvcDpvcGVu", "n3w-session", "4p1-k3y"];
const har = {
  log: {
    version: "1.2",
    creator: { name: "test", version: "1" },
    pages: [{ id: "page_1", title: "https://shop.example/" }],
    entries: [
      {
        pageref: "page_1",
        startedDateTime: "2026-01-01T00:00:00.000Z",
        request: {
          method: "GET",
          url: "https://shop.example/",
          headers: [
            { name: "Cookie", value: `sid=${secrets[0]}; theme=${secrets[1]}` },
            { name: "Authorization", value: `Bearer ${secrets[1]}` },
            { name: "Proxy-Authorization", value: `Basic ${secrets[2]}` },
            { name: "X-Api-Key", value: secrets[4] },
            { name: "Accept", value: "text/html" },
          ],
        },
        response: {
          status: 200,
          headers: [
            { name: "Content-Type", value: "text/html" },
            { name: "Set-Cookie", value: `sid=${secrets[3]}; Path=/; HttpOnly` },
          ],
          content: { mimeType: "text/html", text: "<p>cookie: sid</p>" },
        },
      },
    ],
  },
};
const file = join(folder, "shop.har");
writeFileSync(file, JSON.stringify(har));

function trilane(...words: string[]): string {
  const { status, stdout, stderr } = run(home, words);
  assert.equal(status, 0, stderr);
  return stdout;
}

const holdsSecret = (text: string): boolean => secrets.some((secret) => text.includes(secret));

const unzipped = (bytes: Buffer): Buffer => (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes);

async function archived(name: string) {
  const { exchanges } = await withArchive(home, (archive) => archive.show(name));
  const [exchange] = exchanges;
  assert.ok(exchange);
  return exchange;
}

test("import crosses out credentials, says so, and keeps their sizes", async () => {
  const told = trilane("import", file);
  assert.match(told, /\n {2}5 masked, length kept: values of cookies, authorization.*--keep-credentials/);
  const { request_headers, response_headers } = await archived("shop");
  assert.deepEqual(request_headers, [
    ["cookie", "sid=xxxxxxxxxxxxxx; theme=xxxxxxx"],
    ["authorization", "Bearer xxxxxxx"],
    ["x-api-key", "xxxxxxx"],
    ["accept", "text/html"],
  ]);
  assert.deepEqual(response_headers, [
    ["content-type", "text/html"],
    ["set-cookie", "sid=xxxxxxxxxxx; Path=/; HttpOnly"],
  ]);
  assert.ok(!holdsSecret(readFileSync(join(home, "archive.db"), "latin1")), "no byte of them is in the archive");
});

test("--keep-credentials keeps them; every export crosses them out, unless told not to", async () => {
  const told = trilane("import", file, "--name", "kept", "--keep-credentials");
  assert.doesNotMatch(told, /masked/);
  const { request_headers } = await archived("kept");
  assert.deepEqual(request_headers[0], ["cookie", `sid=${secrets[0]}; theme=${secrets[1]}`]);
  for (const format of ["har", "wpr"]) {
    const out = join(folder, `out.${format}`);
    const textOf = () => unzipped(readFileSync(out)).toString(); // of a .wprgo the exchanges are in base64
    const all = () =>
      textOf() + [...textOf().matchAll(/"([A-Za-z0-9+/=]{40,})"/g)].map(([, text]) => atob(text ?? "")).join();
    trilane("export", "--recording", "kept", "--format", format, "--out", out);
    assert.ok(!holdsSecret(all()), format);
    assert.ok(all().includes("sid=xxxxxxxxxxx"), format);
    trilane("export", "--recording", "kept", "--format", format, "--out", out, "--keep-credentials");
    assert.ok(holdsSecret(all()), `${format}: asked for`);
  }
  const mahimahi = join(folder, "mahimahi");
  trilane("export", "--recording", "kept", "--format", "mahimahi", "--out", mahimahi);
  const saved = readdirSync(mahimahi).map((name) => readFileSync(join(mahimahi, name), "latin1"));
  assert.ok(saved.some((text) => text.includes("sid=xxxxxxxxxxx")) && !saved.some(holdsSecret));
});

test("what is crossed out once comes back the same", async () => {
  const out = join(folder, "again.har");
  trilane("export", "--recording", "shop", "--format", "har", "--out", out);
  trilane("import", out, "--name", "again");
  const [before, after_] = [await archived("shop"), await archived("again")];
  assert.deepEqual(after_.request_headers, before.request_headers);
  assert.deepEqual(after_.response_headers, before.response_headers);
});

test("passwords in URLs do not come into the archive, even where credentials are kept", async () => {
  const text = JSON.stringify(har).replaceAll("https://shop.example/", "https://me:p4ssw0rd@shop.example/");
  const withPassword = JSON.parse(text) as typeof har;
  const redirect = {
    ...structuredClone(withPassword.log.entries[0]),
    response: { status: 302, headers: [], redirectURL: "https://me:p4ssw0rd@shop.example/b", content: {} },
  };
  const passworded = join(folder, "password.har");
  const { log } = withPassword;
  writeFileSync(passworded, JSON.stringify({ log: { ...log, entries: [redirect, ...log.entries] } }));
  trilane(
    "import",
    passworded,
    "--name",
    "password",
    "--keep-credentials",
    "--url",
    "https://me:p4ssw0rd@shop.example/",
  );
  const { recording, exchanges } = await withArchive(home, (archive) => archive.show("password"));
  assert.equal(recording.url, "https://shop.example/");
  assert.deepEqual(
    exchanges.map(({ host, path }) => [host, path]),
    [
      ["shop.example", "/"],
      ["shop.example", "/"],
    ],
  );
  assert.deepEqual(exchanges[0]?.response_headers, [["location", "https://shop.example/b"]]);
  assert.ok(!readFileSync(join(home, "archive.db"), "latin1").includes("p4ssw0rd"));
});
