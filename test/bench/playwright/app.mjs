// An Express application for the suite beside it: /page/N is a document with an image of N * 1200 bytes. /bytes says what the last page's
// connections carried.
import { argv } from "node:process";
import express from "express";

const seen = new Set();
const app = express();
app.disable("x-powered-by");
app.disable("etag");
app.get("/page/:size", ({ params, socket }, response) => {
  seen.clear();
  seen.add(socket);
  response
    .type("html")
    .send(
      `<!doctype html><link rel="icon" href="data:,"><title>Page ${params.size}</title><img src="/image/${params.size}">`,
    );
});
app.get("/image/:size", ({ params, socket }, response) => {
  seen.add(socket);
  response.type("image/png").send(Buffer.alloc(Number(params.size) * 1200, 7));
});
app.get("/bytes", (_, response) => {
  const sum = (of) => [...seen].reduce((total, socket) => total + of(socket), 0);
  response.json({ up: sum(({ bytesRead }) => bytesRead), down: sum(({ bytesWritten }) => bytesWritten) });
});
app.listen(Number(argv[2]), "127.0.0.1");
