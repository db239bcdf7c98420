// A hostile page that is recorded tries whatever a page can to reach services of the machine and its network: nothing may
// arrive there, not even a connection. With --allow-local-network it does, so that the attempts are real ones. And a page
// that is itself on a private address is recorded as any other. Needs nginx and dnsmasq; says so where one is missing.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { checkout } from "../../cli/base/programs.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { makeLiveSite, noLiveSite } from "./live_site.ts";

const scratch = mkdtempSync(join(tmpdir(), "trilane-local-network-test-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
const home = join(scratch, "home");
const run = promisify(execFile);

/** One port everywhere, for TCP and UDP. */
const port = 9000;
const privateAddresses = ["127.0.0.1", "127.8.8.8", "10.9.9.9", "169.254.7.7", "192.168.9.9", "[::1]", "[fd99::9]"];
/** The machine's own, of the network that it is on (live_site.sh). */
const publicAddresses = ["198.51.100.1", "[2001:db8:ffff::1]"];
const hosts = [
  ...privateAddresses,
  ...publicAddresses,
  "localhost",
  "0.0.0.0",
  "rebind.test",
  "printer.local",
  "[::ffff:127.0.0.1]",
];

/** What a page can do to ask `host`; the path says how. */
const attempts = (host: string): string => {
  const base = (how: string) => JSON.stringify(`http://${host}:${port}/${how}`);
  return `
    fetch(${base("fetch")}, { mode: "no-cors" }).catch(() => {});
    fetch(${base("post")}, { mode: "no-cors", method: "POST", body: "x" }).catch(() => {});
    fetch("/redirect?to=${encodeURIComponent(`${host}:${port}`)}", { mode: "no-cors" }).catch(() => {});
    navigator.sendBeacon(${base("beacon")}, "x");
    new Image().src = ${base("image")};
    new EventSource(${base("events")});
    new Worker(URL.createObjectURL(new Blob(['fetch(${base("worker")}, { mode: "no-cors" }).catch(() => {})'])));
    add("script", { src: ${base("script")} });
    add("link", { rel: "stylesheet", href: ${base("style")} });
    add("link", { rel: "preconnect", href: ${base("preconnect")} });
    add("link", { rel: "prefetch", href: ${base("prefetch")} });
    add("iframe", { src: ${base("frame")} });
    add("object", { data: ${base("object")} });
    add("iframe", { name: "into" });
    add("form", { action: ${base("form")}, method: "POST", target: "into" }).submit();
    try { new WebSocket("ws://${host}:${port}/socket"); } catch {}
    try { new WebSocket("wss://${host}:${port}/socket"); } catch {}
    try { new WebTransport("https://${host}:${port}/transport"); } catch {}
    try {
      const peer = new RTCPeerConnection({ iceServers: [
        { urls: "stun:${host}:${port}" },
        { urls: "turn:${host}:${port}?transport=tcp", username: "a", credential: "b" },
      ] });
      peer.createDataChannel("x");
      peer.createOffer().then((offer) => peer.setLocalDescription(offer));
    } catch {}
    open(${base("popup")});`;
};

const hostile = `<!doctype html><title>hostile</title><body><script>
  const add = (name, attributes) => document.body.appendChild(Object.assign(document.createElement(name), attributes));
  ${hosts.map((host) => `{ ${attempts(host)} }`).join("\n")}
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

/** Whoever connects or sends to the port, but at the public address, is written down, with what it asked for. */
const listener = `
import { appendFileSync } from "node:fs";
import { createSocket } from "node:dgram";
import { createServer } from "node:net";
const note = (what) => appendFileSync(process.argv[2], what + "\\n");
createServer((socket) => {
  socket.on("error", () => {});
  if (socket.localAddress.endsWith("203.0.113.1")) return socket.destroy();
  note("connection");
  socket.once("data", (bytes) => {
    note("tcp " + bytes.toString("latin1").split("\\r\\n")[0].replace(/[^ -~]/g, "."));
    socket.end("HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\nContent-Length: 5\\r\\nConnection: close\\r\\n\\r\\nhello");
  });
}).listen(${port}, "::");
const udp = createSocket("udp6");
udp.on("message", () => note("udp"));
udp.bind(${port});`;

const skip = noLiveSite(["nginx"]);
const folder = join(scratch, "site");
mkdirSync(folder);
const directives = `location = /redirect { return 302 http://$arg_to/redirect; }
  location /told/ { return 204; }
  location = /away { return 302 http://127.0.0.1:${port}/away; }`;
const site = skip
  ? null
  : makeLiveSite(folder, [
      { hosts: ["hostile.test"], address: "203.0.113.1", root: makeFiles(), program: "nginx", directives },
    ]);
if (site) {
  appendFileSync(
    join(folder, "hosts"),
    "127.0.0.1 rebind.test\n10.9.9.9 printer.local\n203.0.113.1 both.test\n10.9.9.9 both.test\n",
  );
  writeFileSync(join(scratch, "listener.mjs"), listener);
}

interface Outcome {
  /** What arrived at the private port. */
  readonly arrived: readonly string[];
  readonly status: number;
  readonly told: string;
}

let recordings = 0;

async function record(words: readonly string[]): Promise<Outcome> {
  assert.ok(site);
  const log = join(scratch, `arrived-${recordings++}`);
  const added = privateAddresses
    .map((address) => address.replace(/^\[|\]$/g, ""))
    .filter((address) => !/^127|^::1/.test(address));
  const before = [
    ...added.map((address) => `ip address add ${address}/${address.includes(":") ? "128 nodad" : "32"} dev lo`),
    `"${process.execPath}" "${join(scratch, "listener.mjs")}" "${log}" &`,
    `until ss -ltnH "sport = :${port}" | grep -q .; do sleep 0.05; done`,
    `"$@"; status=$?; kill $!; exit $status`,
  ].join("\n");
  const [first = "", ...rest] = [...site.words, "sh", "-c", before, "sh", join(checkout, "cli", "trilane"), "record"];
  const options = [...words, "--idle", "700", "--timeout", "20", "--home", home, "--trust", site.authority];
  const { status, told } = await run(first, [...rest, ...options]).then(
    ({ stdout }) => ({ status: 0, told: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ status: code, told: stderr }),
  );
  return { status, told, arrived: existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [] };
}

for (const scheme of ["https", "http"]) {
  test(`a public page of ${scheme} reaches nothing of this machine and its networks`, { skip }, async () => {
    const { arrived, status, told } = await record([`${scheme}://hostile.test/`, "--name", scheme]);
    assert.equal(status, 0, told);
    assert.deepEqual(arrived, []);
  });
}

test("allowed, it does: the attempts are real ones", { skip }, async () => {
  const { arrived, status, told } = await record([
    "http://hostile.test/",
    "--name",
    "allowed",
    "--allow-local-network",
  ]);
  assert.equal(status, 0, told);
  // Fewer than are tried: the browser opens no more than six connections to a host at once.
  for (const kind of [/^connection$/, /^udp$/, /^tcp GET \/\w+ HTTP/, /^tcp POST/])
    assert.ok(
      arrived.some((line) => kind.test(line)),
      `${kind} in ${arrived.join("\n")}`,
    );
});

for (const name of Object.keys(leading(""))) {
  test(`a public page cannot lead itself there: ${name}`, { skip }, async () => {
    const refused = await record([`http://hostile.test/${name}`, "--name", name]);
    assert.deepEqual([refused.status, refused.arrived], [0, []], refused.told);
    const allowed = await record([`http://hostile.test/${name}`, "--name", `${name}-allowed`, "--allow-local-network"]);
    assert.notDeepEqual(allowed.arrived, []);
  });
}

test("what a browser asks its user for is refused", { skip }, async () => {
  const { status, told } = await record(["https://hostile.test/asking.html", "--name", "asking"]);
  assert.equal(status, 0, told);
  const { exchanges } = await withArchive(home, (archive) => archive.show("asking"));
  const answers = exchanges.flatMap(({ path }) => (path.startsWith("/told/") ? [path.slice("/told/".length)] : []));
  assert.deepEqual(answers.toSorted(), ["clipboard/NotAllowedError", "notifications/denied", "place/1"]);
});

test("a public URL that redirects there is not recorded, which is told in a line", { skip }, async () => {
  const { arrived, status, told } = await record(["https://hostile.test/away", "--name", "away"]);
  assert.deepEqual([status, arrived], [1, []], told);
  assert.match(
    told,
    /^trilane: https:\/\/hostile\.test\/away: .*it leads to a private address.*--allow-local-network.*\n$/,
  );
});

test("a name that is public and private at once is asked for at its public address", { skip }, async () => {
  const { arrived, told } = await record([`http://both.test:${port}/`, "--name", "both"]);
  assert.deepEqual(arrived, [], told);
  assert.match(told, /both\.test:9000\/: the page did not load/);
});

test("a page on a private address, asked for by its name, is recorded", { skip }, async () => {
  for (const [host, ...words] of [["printer.local"], ["staging.test", "--resolve", "staging.test=127.0.0.1"]]) {
    const { arrived, status, told } = await record([`http://${host}:${port}/`, "--name", `private-${host}`, ...words]);
    assert.equal(status, 0, told);
    assert.ok(arrived.includes("tcp GET / HTTP/1.1"), arrived.join("\n"));
  }
  const { arrived, status, told } = await record([`http://127.0.0.1:${port}/`, "--name", "loopback"]);
  assert.deepEqual([status, arrived], [2, []]);
  assert.match(told, /give it another name, as --resolve staging\.test=127\.0\.0\.1/);
});
