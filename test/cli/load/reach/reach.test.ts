// What a command behind a link may reach, from what was wanted to the words of the lab.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type OwnServer, reach, type Wanted } from "../../../../cli/load/reach/reach.ts";
import { reachChoiceOf } from "../../../../cli/load/reach/wanted.ts";
import { refusedIn } from "../../refused.ts";

const programs = {
  guard: "guard",
  outside: (refused: { own: string } | null) => ["live", refused?.own ?? "all", "--"],
};
const of = (wanted: Wanted) => reach(wanted, programs);
const localhost = (port: number, host = "localhost"): OwnServer => ({
  ...{ host, port, isLocalhost: true },
  here: [`127.0.0.1:${port}`, `[::1]:${port}`],
});

test("servers of this machine: a door each, loopback's through the link, other names by DNS", () => {
  const named: OwnServer = { host: "shop.lan", port: 80, isLocalhost: false, here: ["127.0.0.1:80"] };
  const addressed: OwnServer = { host: "192.0.2.2", port: 81, isLocalhost: false, here: ["192.0.2.2:81"] };
  const { far, shaperOptions, reachable, sentence } = of({
    kind: "servers",
    servers: [localhost(3000), localhost(3000, "app.localhost"), named, { ...named, port: 443 }, addressed],
  });
  assert.deepEqual(far, [
    ...["guard", "--new-network", "--die-with-parent"],
    ...["--door", "127.0.0.1:3000=127.0.0.1:3000,[::1]:3000"],
    ...["--door", "100.64.1.1:80=127.0.0.1:80", "--door", "100.64.1.1:443=127.0.0.1:80"],
    ...["--door", "192.0.2.2:81=192.0.2.2:81"],
    ...["--name", "app.localhost=127.0.0.1", "--name", "shop.lan=100.64.1.1"],
    "--",
  ]);
  assert.deepEqual(shaperOptions, ["--far-port", "3000"]);
  assert.deepEqual(reachable, ["localhost:3000", "app.localhost:3000", "shop.lan:80", "shop.lan:443", "192.0.2.2:81"]);
  assert.match(sentence, /^localhost:3000, .* of this machine, and nothing else$/);
});

test("the internet: pasta's words, with this machine's networks refused or not", () => {
  assert.deepEqual(of({ kind: "outside", refused: { own: "local:192.0.2.0/24" } }).far, [
    "live",
    "local:192.0.2.0/24",
    "--",
  ]);
  assert.match(of({ kind: "outside", refused: null }).sentence, /networks/);
});

test("a recording, and nothing: the far side is another program's, and the sentence says all there is", () => {
  const origins = Array.from({ length: 10 }, (_, i) => `https://h${i}.test`);
  const recorded = of({ kind: "recording", name: "shop", origins });
  assert.deepEqual([recorded.far, recorded.reachable], [[], origins]);
  assert.match(recorded.sentence, /h7\.test and 2 more, and nothing else$/);
  assert.match(of({ kind: "nothing" }).sentence, /^100\.64\.0\.1, fd00:7472::1, and nothing else$/);
});

test("words that ask for two things, or for no server of a machine, are refused in one line", () => {
  const none = { recording: undefined, reach: [], outside: false, "allow-local-network": false };
  for (const [given, line] of [
    [{ recording: "shop", outside: true }, /^--recording and --outside: one of them/],
    [{ reach: ["localhost:1"], recording: "shop" }, /^--recording and --reach: one of them/],
    [{ "allow-local-network": true }, /^--allow-local-network: is for --outside/],
    [{ reach: ["localhost"] }, /^--reach "localhost": write a host of this machine and a port/],
    [{ reach: ["localhost:0"] }, /write a host/],
    [{ reach: ["localhost:70000"] }, /write a host/],
    [{ reach: ["localhost:3000,"] }, /^--reach "": write/],
    [{ reach: ["http://localhost:3000/path"] }, /write a host/],
    [{ reach: ["[fd00::1]:80"] }, /write a name or an IPv4 address/],
    [{ reach: [Array.from({ length: 65 }, (_, i) => `localhost:${i + 1}`).join(",")] }, /at most 64/],
  ] as const)
    assert.throws(
      () => reachChoiceOf({ ...none, ...given, reach: "reach" in given ? [...given.reach] : [] }),
      refusedIn(line),
      JSON.stringify(given),
    );
  const choice = reachChoiceOf({ ...none, reach: ["127.0.0.1:1,http://App.test.:2/", "[::1]:3"] });
  assert.deepEqual(choice, {
    kind: "servers",
    servers: [
      { host: "localhost", port: 1 },
      { host: "app.test", port: 2 },
      { host: "localhost", port: 3 },
    ],
  });
});
