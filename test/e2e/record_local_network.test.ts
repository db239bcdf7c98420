// A hostile page that is recorded, or loaded in a lab, tries whatever a page can to reach services of the machine and its network, and
// its programs and files by their protocols: nothing may arrive there, not even a connection. One matrix: every way out of a browser x
// every kind of address, of IPv4 and IPv6 x without a link, with one in a lab, with one through pasta, and in a measured load. With --allow-local-network each way and each address arrives,
// so that the attempts are real ones. And a page that is itself on a private address is recorded as any other. Set-up installs
// what it needs: it is never skipped.
// Wide: cli/browser, cli/load, cli/recording/record, native-host/guard, shaper.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { checkout } from "../../cli/base/programs.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { tempFolder } from "../temp_folder.ts";
import { makeLiveSite } from "./live_site.ts";

const scratch = tempFolder("trilane-local-network-test-");
const home = join(scratch, "home");
const run = promisify(execFile);

/** One port everywhere, for TCP and UDP. */
const port = 9000;

interface Kind {
  readonly kind: string;
  /** As a URL has it, and as the listener sees it. */
  readonly host: string;
  readonly address: string;
}

const numeric = (kind: string, ...addresses: string[]): Kind[] =>
  addresses.map((address) => ({ kind, address, host: address.includes(":") ? `[${address}]` : address }));

/** Those that mean the browser's own network, which in a lab is the lab's. */
const loopback: readonly Kind[] = [
  ...numeric("loopback", "127.0.0.1", "127.8.8.8", "::1"),
  { kind: "loopback, by its name", host: "localhost", address: "127.0.0.1" },
  { kind: "loopback, by a name of the page's", host: "rebind.test", address: "127.0.0.1" },
  { kind: "this host", host: "0.0.0.0", address: "127.0.0.1" },
  { kind: "IPv4 in IPv6", host: "[::ffff:127.0.0.1]", address: "127.0.0.1" },
];
const near: readonly Kind[] = [
  ...numeric("private", "10.9.9.9", "192.168.9.9", "172.20.9.9", "100.65.9.9", "fd99::9"),
  ...numeric("link-local", "169.254.7.7"),
  { kind: "private, by a name of the page's", host: "printer.local", address: "10.9.9.9" },
  // The machine is on these networks (live_site.sh): public addresses, and yet its own and its neighbours'.
  ...numeric("the machine's own public address", "198.51.100.1", "2001:db8:ffff::1"),
  ...numeric("a neighbour's public address", "2001:db8:ffff::77", "198.51.100.77"),
];
const kinds = [...loopback, ...near];
/** No interface's, and answered all the same: those of a network around the machine. */
const routed = ["10.9.9.9", "192.168.9.9", "172.20.9.9", "100.65.9.9", "169.254.7.7", "198.51.100.77"];
const routed6 = ["fd99::9", "2001:db8:ffff::77"];

/** What a page can do to ask `url`, by names; the URL's path says which, and from where. */
const ways: Record<string, (url: string) => string> = {
  fetch: (url) => `fetch(${url}, { mode: "no-cors" })`,
  post: (url) => `fetch(${url}, { mode: "no-cors", method: "POST", body: "x" })`,
  xhr: (url) => `{ const request = new XMLHttpRequest(); request.open("GET", ${url}); request.send(); }`,
  beacon: (url) => `navigator.sendBeacon(${url}, "x")`,
  image: (url) => `new Image().src = ${url}`,
  audio: (url) => `new Audio(${url}).load()`,
  events: (url) => `new EventSource(${url})`,
  worker: (url) =>
    `new Worker(URL.createObjectURL(new Blob([${JSON.stringify("fetch(URL_, { mode: 'no-cors' }).catch(() => {})")}.replace("URL_", JSON.stringify(${url}))])))`,
  module: (url) => `import(${url})`,
  script: (url) => `add("script", { src: ${url} })`,
  style: (url) => `add("link", { rel: "stylesheet", href: ${url} })`,
  background: (url) => `add("i", { style: "display: block; height: 9px; background: url(" + ${url} + ")" })`,
  font: (url) => `new FontFace("f", "url(" + ${url} + ")").load()`,
  prefetch: (url) => `add("link", { rel: "prefetch", href: ${url} })`,
  preload: (url) => `add("link", { rel: "preload", as: "image", href: ${url} })`,
  frame: (url) => `add("iframe", { src: ${url} })`,
  object: (url) => `add("object", { data: ${url} })`,
  // All into one frame, so the last one arrives.
  form: (url) => `add("form", { action: ${url}, method: "POST", target: "into" }).submit()`,
  ping: (url) => `add("a", { href: "#", ping: ${url} }).click()`,
  download: (url) => `add("a", { href: ${url}, download: "x", target: "into" }).click()`,
  socket: (url) => `new WebSocket(${url}.replace("http", "ws"))`,
};
/** Of these the listener sees no path: a connection, a TLS handshake, a datagram. A popup needs a gesture. */
const wordless: Record<string, (host: string) => string> = {
  popup: (host) => `open("http://${host}/")`,
  preconnect: (host) => `add("link", { rel: "preconnect", href: "http://${host}" })`,
  "socket over TLS": (host) => `new WebSocket("wss://${host}/")`,
  WebTransport: (host) => `new WebTransport("https://${host}/")`,
  WebRTC: (host) => `{
    const peer = new RTCPeerConnection({ iceServers: [
      { urls: "stun:${host}" }, { urls: "turn:${host}?transport=tcp", username: "a", credential: "b" },
    ] });
    peer.createDataChannel("x");
    peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  }`,
};

const secret = join(scratch, "secret");
/** Of these nothing arrives at a port: what a protocol's program is given, and the file. */
const protocols = [
  ...["mailto:a@b.test", "tel:1", "trilane-escape:x", "web+escape:x"],
  ...[`file://${secret}`, `view-source:file://${secret}`, `view-source:http://127.0.0.1:${port}/source`],
];
const triedProtocols = "/tried-protocols/";
const protocolWays: readonly ((url: string) => string)[] = [
  (url) => `add("iframe", { src: ${url} })`,
  (url) => `open(${url})`,
  (url) => `add("a", { href: ${url}, target: "into" }).click()`,
  (url) => `fetch(${url})`,
];

/** One way at a time to all addresses: a browser opens six connections to a host at once, and others wait. */
const attempts = (): string[] => [
  ...Object.entries(ways).map(([way, ask]) =>
    kinds.map(({ host }) => `() => ${block(ask(JSON.stringify(`http://${host}:${port}/${way}`)))}`).join(",\n"),
  ),
  kinds
    .map(({ host }) => `() => fetch("/redirect?to=${encodeURIComponent(`${host}:${port}`)}", { mode: "no-cors" })`)
    .join(",\n"),
  ...Object.values(wordless).map((ask) =>
    kinds.map(({ host }) => `() => ${block(ask(`${host}:${port}`))}`).join(",\n"),
  ),
  ...protocolWays.map((ask, way) =>
    [
      ...protocols.map((url) => `() => ${block(ask(JSON.stringify(url)))}`),
      `() => fetch("${triedProtocols}${way}")`,
    ].join(",\n"),
  ),
];
const block = (statement: string): string => (statement.startsWith("{") ? statement : `{ return ${statement}; }`);

const hostile = `<!doctype html><title>hostile</title><body><script type="module">
  const add = (name, attributes) => {
    const { style, ping, ...others } = attributes;
    const element = Object.assign(document.createElement(name), others);
    for (const [key, value] of Object.entries({ style, ping })) if (value) element.setAttribute(key, value);
    return document.body.appendChild(element);
  };
  add("iframe", { name: "into" });
  const attempts = [${attempts().join(",\n")}];
  for (const attempt of attempts) {
    try { Promise.resolve(attempt()).catch(() => {}); } catch {}
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
</script>`;

/** Asks for what a browser would ask its user for, and says what came of it by requests. */
const asking = `<!doctype html><script>
  const say = (what) => (error) => fetch("/told/" + what + "/" + (error?.name ?? error?.code ?? error));
  navigator.geolocation.getCurrentPosition(say("place"), say("place"));
  Notification.requestPermission().then(say("notifications"));
  navigator.clipboard.readText().then(say("clipboard"), say("clipboard"));
  try { open("file:///etc/passwd"); location = "file:///etc/passwd"; } catch (error) { say("file")(error); }
</script>`;

/** By leading the page itself there, which ends what it else does. */
const leading = (host: string): Record<string, string> => ({
  "leads.html": `<!doctype html>leads<script>setTimeout(() => { location = "http://${host}:${port}/navigation"; }, 200)</script>`,
  "posts.html": `<!doctype html><form method=post action=http://${host}:${port}/submission></form>
    <script>setTimeout(() => document.forms[0].submit(), 200)</script>`,
  "refreshes.html": `<!doctype html><meta http-equiv=refresh content="0;url=http://${host}:${port}/refresh">`,
});

function makeFiles(): string {
  const root = join(scratch, "www");
  mkdirSync(root);
  const files = { "index.html": hostile, "asking.html": asking, ...leading("127.0.0.1") };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content);
  return root;
}

/** Whoever connects or sends to the port, but at the public address, is written down, with where and what it asked for. */
const listener = `
import { appendFileSync } from "node:fs";
import { createSocket } from "node:dgram";
import { createServer } from "node:net";
const note = (what) => appendFileSync(process.argv[2], what + "\\n");
createServer((socket) => {
  socket.on("error", () => {});
  const at = socket.localAddress.replace("::ffff:", "");
  if (at === "203.0.113.1") return socket.destroy();
  note(at + " connection");
  socket.once("data", (bytes) => {
    note(at + " " + bytes.toString("latin1").split("\\r\\n")[0].replace(/[^ -~]/g, "."));
    socket.end("HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\nContent-Length: 5\\r\\nConnection: close\\r\\n\\r\\nhello");
  });
}).listen(${port}, "::");
const udp = createSocket("udp6");
udp.on("message", () => note("udp"));
udp.bind(${port});`;

const folder = join(scratch, "site");
mkdirSync(folder);
const site = makeLiveSite(folder, [
  { hosts: ["hostile.test"], address: "203.0.113.1", root: makeFiles(), program: "node" },
]);
appendFileSync(
  join(folder, "hosts"),
  "127.0.0.1 rebind.test\n10.9.9.9 printer.local\n203.0.113.1 both.test\n10.9.9.9 both.test\n",
);
writeFileSync(join(scratch, "listener.mjs"), listener);

// Browsers start the desktop's programs by this one.
const [programs, started] = [join(scratch, "bin"), join(scratch, "started")];
mkdirSync(programs);
writeFileSync(join(programs, "xdg-open"), `#!/bin/sh\necho "$*" >>${started}\n`);
chmodSync(join(programs, "xdg-open"), 0o755);
const environment = { ...process.env, PATH: `${programs}:${process.env.PATH ?? ""}` };
writeFileSync(secret, "secret");
utimesSync(secret, 0, 1e9);

/** Programs that were started for a protocol, and whether the file was read. */
const opened = (): unknown => [existsSync(started) && readFileSync(started, "utf8"), statSync(secret).atimeMs > 0];
const nothing = [false, false];

interface Outcome {
  /** What arrived at the private port. */
  readonly arrived: readonly string[];
  readonly status: number;
  readonly told: string;
}

let recordings = 0;

async function record(words: readonly string[], within: readonly string[] = []): Promise<Outcome> {
  const options = ["--idle", "700", "--timeout", "30", "--trust", site.authority];
  return await trilane(["record", ...words, ...options], within);
}

async function trilane(words: readonly string[], within: readonly string[] = []): Promise<Outcome> {
  const log = join(scratch, `arrived-${recordings++}`);
  const before = [
    ...routed.map((address) => `ip route add local ${address} dev lo`),
    ...routed6.map((address) => `ip -6 route add local ${address} dev lo`),
    `"${process.execPath}" "${join(scratch, "listener.mjs")}" "${log}" &`,
    `until ss -ltnH "sport = :${port}" | grep -q .; do sleep 0.05; done`,
    `"$@"; status=$?; kill $!; exit $status`,
  ].join("\n");
  const [first = "", ...rest] = [
    ...site.words,
    ...["sh", "-c", before, "sh", ...within, join(checkout, "cli", "trilane"), ...words],
  ];
  const { status, told } = await run(first, [...rest, "--home", home], { env: environment }).then(
    ({ stdout }) => ({ status: 0, told: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ status: code, told: stderr }),
  );
  return { status, told, arrived: existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [] };
}

const link = ["--link", "50mbit/10ms"];
/** Pasta gives the lab the machine's own addresses, and here neither IPv6 nor the block that labs' own addresses are of. */
const throughPasta = near.filter(({ address }) => !/:|^198\.51\.100\.1$|^100\./.test(address));
/** Where the browser runs: the options, and the words before the command. Without capabilities it is in no lab. */
const places = {
  "without a link": { words: [], within: [], reached: kinds },
  "with a link in a lab": { words: link, within: [], reached: near },
  "with a link through pasta": {
    words: link,
    within: ["setpriv", "--ambient-caps", "-all", "--inh-caps", "-all"],
    reached: throughPasta,
  },
} as const;

// Most of the time a recording waits until its page is idle.
describe("recordings of a hostile page", { concurrency: 3 }, () => {
  for (const [place, { words, within, reached }] of Object.entries(places)) {
    for (const scheme of ["https", "http"]) {
      test(`a public page of ${scheme} reaches nothing of this machine and its networks ${place}`, async () => {
        const name = `${scheme} ${place}`.replaceAll(" ", "-");
        const { arrived, status, told } = await record([`${scheme}://hostile.test/`, "--name", name, ...words], within);
        assert.equal(status, 0, told);
        assert.deepEqual(arrived, []);
        assert.deepEqual(opened(), nothing);
        const { exchanges } = await withArchive(home, (archive) => archive.show(name));
        const tried = exchanges.filter(({ path }) => path.startsWith(triedProtocols));
        assert.equal(tried.length, protocolWays.length, "the page tried each protocol in each way");
      });
    }

    test(`allowed, each way and each address arrives ${place}: the attempts are real ones`, async () => {
      const name = `allowed ${place}`.replaceAll(" ", "-");
      const allowed = ["http://hostile.test/", "--name", name, "--allow-local-network", ...words];
      const { arrived, status, told } = await record(allowed, within);
      assert.equal(status, 0, told);
      const [lines, seen] = [arrived.map((line) => line.split(" ")), arrived.join("\n")];
      const unused = [...Object.keys(ways), "redirect"].filter(
        (way) => !lines.some(([, , path]) => path === `/${way}`),
      );
      assert.deepEqual(unused, [], `ways that arrive nowhere, of ${seen}`);
      const unreached = reached.filter(({ address }) => !lines.some(([at]) => at === address));
      assert.deepEqual(unreached, [], `addresses that nothing arrives at, of ${seen}`);
      assert.ok(arrived.includes("udp"), "WebRTC and WebTransport");
    });
  }

  for (const name of Object.keys(leading(""))) {
    test(`a public page cannot lead itself there: ${name}`, async () => {
      const refused = await record([`http://hostile.test/${name}`, "--name", name]);
      assert.deepEqual([refused.status, refused.arrived], [0, []], refused.told);
      const allowed = await record([
        `http://hostile.test/${name}`,
        "--name",
        `${name}-allowed`,
        "--allow-local-network",
      ]);
      assert.notDeepEqual(allowed.arrived, []);
    });
  }

  test("what a browser asks its user for is refused", async () => {
    const { status, told } = await record(["https://hostile.test/asking.html", "--name", "asking"]);
    assert.equal(status, 0, told);
    const { exchanges } = await withArchive(home, (archive) => archive.show("asking"));
    const answers = exchanges.flatMap(({ path }) => (path.startsWith("/told/") ? [path.slice("/told/".length)] : []));
    assert.deepEqual(answers.toSorted(), ["clipboard/NotAllowedError", "notifications/denied", "place/1"]);
  });

  test("a public URL that redirects there is not recorded, which is told in a line", async () => {
    const { arrived, status, told } = await record([
      "https://hostile.test/redirect?to=127.0.0.1:9000",
      "--name",
      "away",
    ]);
    assert.deepEqual([status, arrived], [1, []], told);
    assert.match(
      told,
      /^trilane: https:\/\/hostile\.test\/redirect\?to=127\.0\.0\.1:9000: .*it leads to a private address.*--allow-local-network.*\n$/,
    );
  });

  test("a name that is public and private at once is asked for at its public address", async () => {
    const { arrived, told } = await record([`http://both.test:${port}/`, "--name", "both"]);
    assert.deepEqual(arrived, [], told);
    assert.match(told, /both\.test:9000\/: the page did not load/);
  });

  test("a page on a private address, asked for by its name, is recorded", async () => {
    for (const [host, ...words] of [["printer.local"], ["staging.test", "--resolve", "staging.test=127.0.0.1"]]) {
      const { arrived, status, told } = await record([
        `http://${host}:${port}/`,
        "--name",
        `private-${host}`,
        ...words,
      ]);
      assert.equal(status, 0, told);
      assert.ok(
        arrived.some((line) => line.endsWith(" GET / HTTP/1.1")),
        arrived.join("\n"),
      );
    }
    const { arrived, status, told } = await record([`http://127.0.0.1:${port}/`, "--name", "loopback"]);
    assert.equal(status, 0, told);
    assert.ok(arrived.includes("127.0.0.1 GET / HTTP/1.1"), arrived.join("\n"));
  });
});

test("a page that is loaded in a lab reaches nothing of this machine and its networks", async () => {
  const measured = ["--lanes", "h1,h2", "--runs", "1", "--link", "50mbit/10ms", "--timeout", "10", "--retries", "0"];
  const { arrived, told } = await trilane(
    ["race", "allowed-without-a-link", ...measured],
    ["env", "-u", "TRILANE_LAB"],
  );
  assert.deepEqual(arrived, [], told);
  assert.deepEqual(opened(), nothing);
  for (const load of ["1", "2"]) {
    const words = ["export", "--format=har", "--load", load, "--home", home];
    const { stdout } = await run(join(checkout, "cli", "trilane"), words, { maxBuffer: 1e8 });
    assert.ok(stdout.includes(`10.9.9.9:${port}`), "the page tries in there, too");
  }
});

test("a program that is started for a protocol, and a file that is read, are seen", async () => {
  await run("xdg-open", ["mailto:a@b.test"], { env: environment });
  await run("cat", [secret]);
  assert.deepEqual(opened(), ["mailto:a@b.test\n", true]);
  rmSync(started);
  utimesSync(secret, 0, 1e9);
});
