// What the importer and the synthetic pages make, in the browser that is to take it: pictures and fonts decode, padded
// content-encodings decode to the same bytes.
// Wide: cli/recording/fill, cli/recording/synth.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { chromiumPath } from "../../cli/base/programs.ts";
import { type ContentEncoding, encode, encodeToSize } from "../../cli/recording/fill/content_encoding.ts";
import { fill } from "../../cli/recording/fill/fill.ts";
import { jpegOfSize } from "../../cli/recording/fill/jpeg.ts";

const bodies = new Map<string, { bytes: Buffer; headers: Record<string, string> }>();
let server: Server;
let browser: Browser;
let page: Page;

before(async () => {
  server = createServer((request, response) => {
    const body = bodies.get(request.url ?? "");
    response.writeHead(200, body?.headers ?? { "content-type": "text/html" });
    response.end(body?.bytes ?? '<link rel="icon" href="data:,">');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // The sandbox cannot be made by root outside a namespace of one's own; the page is ours.
  browser = await puppeteer.launch({ executablePath: chromiumPath(), pipe: true, args: ["--no-sandbox"] });
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
after(async () => {
  await browser?.close();
  server?.close();
});

function serve(path: string, bytes: Buffer, headers: Record<string, string>): string {
  bodies.set(path, { bytes, headers });
  return path;
}

/** "WIDTHxHEIGHT" as the browser sees it, or why it does not. */
const pictureIn = (path: string): Promise<string> =>
  page.evaluate(
    `(async () => {
      const image = new Image();
      image.src = ${JSON.stringify(path)};
      try { await image.decode(); } catch (error) { return String(error); }
      return image.naturalWidth + "x" + image.naturalHeight;
    })()`,
  ) as Promise<string>;

test("filled pictures decode in the dimensions asked for", async () => {
  const dimensions = { width: 120, height: 90 };
  for (const type of ["image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "image/svg+xml"])
    for (const wire_bytes of [900, 901, 902, 903, 20_001]) {
      const url = `/${type}/${wire_bytes}`;
      const { bytes } = fill({ mime_type: type, url, wire_bytes, decoded_bytes: null, encoding: null, dimensions });
      assert.equal(await pictureIn(serve(url, bytes, { "content-type": type })), "120x90", url);
    }
  const icon = { mime_type: "image/x-icon", url: "/i", wire_bytes: 1500, decoded_bytes: null, encoding: null };
  const { bytes } = fill({ ...icon, dimensions: { width: 32, height: 32 } });
  assert.equal(await pictureIn(serve("/icon", bytes, { "content-type": "image/x-icon" })), "32x32");
});

test("the studies' JPEGs decode", async () => {
  for (const size of [1000, 2600, 3000, 86_500, 1_000_000, 10_000_000]) {
    const made = jpegOfSize(size, `${size}`);
    assert.ok(made);
    const { width, height } = made.dimensions;
    const path = serve(`/jpeg/${size}`, made.bytes, { "content-type": "image/jpeg" });
    assert.equal(await pictureIn(path), `${width}x${height}`);
  }
});

test("filled fonts are fonts to the browser", async () => {
  for (const type of ["font/woff2", "font/woff", "font/ttf"])
    for (const wire_bytes of [1000, 1001, 1002, 1003, 40_000]) {
      const url = `/${type}/${wire_bytes}`;
      const { bytes, kind } = fill({
        mime_type: type,
        url,
        wire_bytes,
        decoded_bytes: null,
        encoding: null,
        dimensions: null,
      });
      assert.equal(`font/${kind}`, type);
      serve(url, bytes, { "content-type": type });
      const said = await page.evaluate(`new FontFace("f", "url(${url})").load().then(({ status }) => status, String)`);
      assert.equal(said, "loaded", url);
    }
});

test("a padded content-encoding decodes to the bytes that went in", async () => {
  const text = Buffer.from(Array.from({ length: 3000 }, (_, index) => `line ${index * index}\n`).join(""));
  for (const encoding of ["gzip", "deflate", "br", "zstd"] satisfies ContentEncoding[])
    for (const more of [0, 1, 2, 7, 11, 300, 70_000]) {
      const { bytes } = encodeToSize(text, encoding, encode(text, encoding).bytes.length + more);
      const headers = { "content-type": "text/plain", "content-encoding": encoding };
      const path = serve(`/${encoding}/${more}`, bytes, headers);
      const got = await page.evaluate(`fetch("${path}").then((response) => response.text()).catch(String)`);
      assert.ok(got === text.toString(), path);
    }
});
