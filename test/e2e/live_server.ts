// live_server.ts FOLDER: the small web server of live_site.ts, for sites whose test set-up installs no other one for. Serves what
// FOLDER/sites.json lists, over HTTP/1.1: files; `/redirect?to=HOST` leads there; all else is empty, with status 204.
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { extname, join } from "node:path";

interface Site {
  readonly address: string;
  readonly root: string;
  /** Of its certificate and key, in the folder, without their endings. */
  readonly name: string;
}

const types: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

const answerFrom =
  (root: string): RequestListener =>
  (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://site.test");
    if (pathname === "/redirect") {
      response.writeHead(302, { Location: `http://${searchParams.get("to")}/redirect` }).end();
      return;
    }
    try {
      const file = join(root, pathname === "/" ? "index.html" : pathname);
      const body = readFileSync(file);
      response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(204).end();
    }
  };

const folder = process.argv[2] ?? ".";
const sites: readonly Site[] = JSON.parse(readFileSync(join(folder, "sites.json"), "utf8"));
for (const { address, root, name } of sites) {
  const answer = answerFrom(root);
  createServer(answer).listen(80, address);
  const [cert, key] = ["pem", "key"].map((ending) => readFileSync(join(folder, `${name}.${ending}`)));
  createSecureServer({ cert, key }, answer).listen(443, address);
}
