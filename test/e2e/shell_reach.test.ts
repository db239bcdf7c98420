// `trilane shell` with a far side that was chosen: servers of this machine, or the internet. From inside everything is tried that
// there is around it: other ports of loopback, the machine's addresses, private networks, abstract sockets. What may be reached
// is, through the link; nothing else is. Set-up installs what it needs, but pasta for --outside.
// Wide: cli/commands/shell.ts, cli/load/reach, native-host/base, native-host/guard, shaper.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { checkout } from "../../cli/base/programs.ts";
import { notInstalled } from "../../cli/install/requirements.ts";
import { tempFolder } from "../temp_folder.ts";
import { makeLiveSite } from "./live_site.ts";

const scratch = tempFolder("trilane-shell-reach-");
const trilane = join(checkout, "cli", "trilane");
const run = promisify(execFile);

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function shell(...words: string[]): Promise<Outcome> {
  return await run(trilane, ["shell", "--home", join(scratch, "home"), ...words]).then(
    ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ status: code, stdout, stderr }),
  );
}

/** A command that runs this script of Node. */
const script = (text: string): string[] => [process.execPath, "--input-type=module", "-e", text];

async function listenTo(server: Server, host: string): Promise<number> {
  server.listen(0, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const page = "x".repeat(100_000);
const served = createServer((request, response) => {
  if (request.method === "POST") request.pipe(response);
  else response.end(page);
});
const other = createServer((_, response) => response.end("never"));
/** Some development servers listen on IPv6's loopback alone. */
const six = createServer((_, response) => response.end("six"));
const hidden = createSocketServer((socket) => {
  socket.on("error", () => {});
  socket.end("never");
});
let ports: { readonly served: number; readonly other: number; readonly six: number };
before(async () => {
  ports = {
    served: await listenTo(served, "127.0.0.1"),
    other: await listenTo(other, "0.0.0.0"),
    six: await listenTo(six, "::1"),
  };
  hidden.listen(`\0trilane-reach-${process.pid}`);
  await once(hidden, "listening");
});
after(() => {
  for (const server of [served, other, six, hidden]) server.close();
});

const fetched = `
const started = performance.now();
const response = await fetch(process.argv[1]);
const text = await response.text();
console.log(JSON.stringify({ size: text.length, ms: performance.now() - started }));
`;

test("a server of this machine is reached by its own name, through the link", async () => {
  for (const [host, port, size] of [
    ["localhost", ports.served, page.length],
    ["127.0.0.1", ports.served, page.length],
    ["localhost", ports.six, 3],
  ] as const) {
    const words = ["--link", "10mbit/80ms", "--reach", `${host}:${port}`];
    const { status, stdout, stderr } = await shell(...words, "--", ...script(fetched), `http://${host}:${port}/`);
    assert.equal(status, 0, stderr);
    assert.equal(
      stderr,
      `trilane shell: 10mbit/80ms; at the other end: localhost:${port} of this machine, and nothing else\n`,
    );
    const told = JSON.parse(stdout) as { size: number; ms: number };
    assert.equal(told.size, size);
    assert.ok(told.ms >= 160, `${told.ms} ms: connecting and the request take a round trip each`);
  }
});

test("bytes come through both ways, and both ends' closing", async () => {
  const echo = `
    const sent = Buffer.alloc(3_000_000, "echo");
    const response = await fetch("http://localhost:${ports.served}/", { method: "POST", body: sent });
    console.log(sent.equals(Buffer.from(await response.arrayBuffer())));
  `;
  const { stdout, stderr } = await shell(
    "--link",
    "unlimited/2ms",
    "--reach",
    `localhost:${ports.served}`,
    "--",
    ...script(echo),
  );
  assert.equal(stdout, "true\n", stderr);
});

test("a server that is started inside is found inside, without the link", async () => {
  const inside = `
    import { createServer } from "node:http";
    const server = createServer((_, response) => response.end("inside")).listen(0, "localhost");
    await new Promise((resolve) => server.once("listening", resolve));
    const started = performance.now();
    const response = await fetch("http://localhost:" + server.address().port);
    console.log(await response.text(), performance.now() - started < 10_000);
    server.close();
  `;
  const words = ["--link", "1mbit/10s", "--reach", `localhost:${ports.served}`];
  assert.equal((await shell(...words, "--", ...script(inside))).stdout, "inside true\n");
});

/** Tries each place by TCP and UDP; prints those that answered. */
const escapes = (places: readonly (readonly [host: string, port: number])[], abstract: string): string => `
  import { connect } from "node:net";
  const places = ${JSON.stringify(places.map(([host, port]) => ({ host, port })))};
  const attempts = [...places, { path: "\\0" + ${JSON.stringify(abstract)} }].map((place) => new Promise((resolve) => {
    const socket = connect({ ...place, timeout: 1500 });
    const end = (what) => { socket.destroy(); resolve(what); };
    socket.once("connect", () => end(JSON.stringify(place)));
    socket.once("error", () => end(null));
    socket.once("timeout", () => end(null));
  }));
  console.log((await Promise.all(attempts)).filter((each) => each !== null).join(" "));
`;

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).map(({ address, scopeid }) => (scopeid ? `${address}%${scopeid}` : address)),
  );

test("nothing else of this machine is reached: other ports, its addresses, abstract sockets", async () => {
  const hosts = [
    ...new Set(["127.0.0.1", "127.0.0.2", "::1", "0.0.0.0", "100.64.0.1", "100.64.1.1", ...ownAddresses()]),
  ];
  const places = hosts.map((host) => [host, ports.other] as const);
  const abstract = `trilane-reach-${process.pid}`;
  const tried = script(escapes(places, abstract));
  // The attempts are real ones: outside they arrive.
  const { stdout: outside } = await run(process.execPath, tried.slice(1));
  assert.match(outside, /"127\.0\.0\.1".*"path"/);
  for (const words of [["--reach", `localhost:${ports.served}`], []]) {
    const { status, stdout, stderr } = await shell("--link", "100mbit/2ms", ...words, "--", ...tried);
    assert.deepEqual([status, stdout], [0, "\n"], stderr);
  }
});

test("no name exists but those that were given", async () => {
  const lookups = `
    import { lookup } from "node:dns/promises";
    for (const name of ["elsewhere.test", "app.localhost"])
      console.log(await lookup(name).then(({ address }) => address, ({ code }) => code));
  `;
  const words = ["--link", "10mbit/10ms", "--reach", `app.localhost:${ports.served}`];
  assert.equal((await shell(...words, "--", ...script(lookups))).stdout, "ENOTFOUND\n127.0.0.1\n");
});

test("bad input is refused in one line", async () => {
  const silent = createServer();
  const free = await listenTo(silent, "127.0.0.1");
  silent.close();
  for (const [words, line] of [
    [["--reach", `localhost:${free}`], new RegExp(`^trilane: --reach localhost:${free}: nothing listens there: .*\n$`)],
    [
      ["--reach", "203.0.113.9:80"],
      /^trilane: --reach 203\.0\.113\.9: 203\.0\.113\.9 is not this machine: take --outside for it\n$/,
    ],
    [["--reach", "10.77.7.7:80"], /^trilane: .* is not this machine: take --outside --allow-local-network for it\n$/],
    [
      ["--reach", "no-such-host.invalid:80"],
      /^trilane: --reach no-such-host\.invalid: this machine knows no address of it: .*\n$/,
    ],
    [["--reach", "localhost"], /^trilane: --reach "localhost": write a host of this machine and a port, .*\n$/],
  ] as const) {
    const { status, stderr } = await shell("--link", "3mbit/50ms", ...words, "--", "true");
    assert.equal(status, 2, stderr);
    assert.match(stderr, line);
  }
});

const running = (words: string): string => spawnSync("pgrep", ["-f", words], { encoding: "utf8" }).stdout;

async function gone(words: string): Promise<boolean> {
  for (let looks = 0; running(words) !== "" && looks < 400; looks++) await delay(50);
  return running(words) === "";
}

test("a command that leaves children, and a shell that is killed with -9, leave nothing", async () => {
  const sleep = `sleep ${8_000_000 + process.pid}`;
  const reached = ["--link", "3mbit/50ms", "--reach", `localhost:${ports.served}`];
  assert.equal((await shell(...reached, "--", "sh", "-c", `${sleep} >/dev/null 2>&1 & exit 3`)).status, 3);
  assert.ok(await gone(sleep));
  const words = ["shell", "--home", scratch, ...reached, "--", "sh", "-c", `echo started; exec ${sleep}`];
  const child: ChildProcess = spawn(trilane, words, { stdio: ["ignore", "pipe", "ignore"] });
  await once(child.stdout as NodeJS.ReadableStream, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.ok(await gone(sleep));
  assert.ok(await gone(`door 127.0.0.1:${ports.served}`));
});

/** Whoever connects to the port, at whatever address but the public one, is written down. */
const listener = `
import { appendFileSync } from "node:fs";
import { createServer } from "node:net";
createServer((socket) => {
  socket.on("error", () => {});
  appendFileSync(process.argv[2], socket.localAddress.replace("::ffff:", "") + "\\n");
  socket.end();
}).listen(9000, "::");`;

const folder = join(scratch, "site");
const privateAddresses = ["10.9.9.9", "192.168.9.9", "172.20.9.9", "100.65.9.9", "169.254.7.7", "198.51.100.77"];
/** Those that pasta brings there where nothing is refused: the block of labs' own addresses is not among them. */
const arriving = privateAddresses.filter((address) => !address.startsWith("100."));

async function outside(words: readonly string[], command: readonly string[]): Promise<Outcome & { arrived: string[] }> {
  const log = join(scratch, `arrived-${Math.random()}`);
  const before = [
    ...privateAddresses.map((address) => `ip route add local ${address} dev lo`),
    `"${process.execPath}" "${join(scratch, "listener.mjs")}" "${log}" &`,
    `until ss -ltnH "sport = :9000" | grep -q .; do sleep 0.05; done`,
    `"$@"; status=$?; kill $!; exit $status`,
  ].join("\n");
  const [first = "", ...rest] = [...site().words, "sh", "-c", before, "sh"];
  const unprivileged = ["setpriv", "--ambient-caps", "-all", "--inh-caps", "-all"];
  const all = [...unprivileged, trilane, "shell", "--link", "50mbit/10ms", "--outside", ...words, "--", ...command];
  const outcome = await run(first, [...rest, ...all]).then(
    ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ status: code, stdout, stderr }),
  );
  return { ...outcome, arrived: existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [] };
}

let made: ReturnType<typeof makeLiveSite> | null = null;
function site(): ReturnType<typeof makeLiveSite> {
  if (made) return made;
  const root = join(scratch, "www");
  mkdirSync(folder);
  mkdirSync(root);
  writeFileSync(join(root, "index.html"), "live");
  made = makeLiveSite(folder, [{ hosts: ["live.test"], address: "203.0.113.1", root, program: "node" }]);
  appendFileSync(join(folder, "hosts"), "10.9.9.9 printer.test\n");
  writeFileSync(join(scratch, "listener.mjs"), listener);
  return made;
}

const noOutside = notInstalled(["pasta", "dnsmasq", "openssl", "ip", "ss"]) ?? false;

test("--outside reaches the internet through the link, and no private network", { skip: noOutside }, async () => {
  const tries = [
    ...privateAddresses.map((address) => [address, 9000] as const),
    ...(["printer.test", "127.0.0.1", "localhost", "198.51.100.1", "100.64.0.53"] as const).map(
      (host) => [host, 9000] as const,
    ),
  ];
  const command = script(`
    console.log(await (await fetch("http://live.test/")).text());
    ${escapes(tries, "none")}
  `);
  const refused = await outside([], command);
  assert.deepEqual([refused.status, refused.stdout, refused.arrived], [0, "live\n\n", []], refused.stderr);
  assert.match(refused.stderr, /at the other end: the internet, and nothing of this machine and its networks\n/);
  const allowed = await outside(["--allow-local-network"], command);
  assert.equal(allowed.status, 0, allowed.stderr);
  for (const address of arriving) assert.ok(allowed.arrived.includes(address), `${address} of ${allowed.arrived}`);
  assert.ok(!allowed.arrived.includes("127.0.0.1"));
});
