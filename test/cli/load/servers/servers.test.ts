// Which servers a plan has, and the words by which a race names them.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { laneRefusal } from "../../../../cli/load/servers/programs.ts";
import {
  laneLabels,
  liveSentence,
  refuseServers,
  serverNamed,
  serverOf,
} from "../../../../cli/load/servers/servers.ts";
import { planOf } from "../../../../cli/sweep/plan/plan.ts";
import { chosenServers, servedLanes } from "../../../../cli/sweep/plan/servers_option.ts";
import { tempFolder } from "../../../temp_folder.ts";

test("a label's server is trilane-replay, a known program, or the plan's own", () => {
  const mine = { command: "exec mine" };
  const plan = { servers: { mine } };
  assert.equal(serverOf(plan, "h2"), null);
  assert.equal(serverOf(plan, "h2+replay"), null);
  assert.deepEqual(serverOf(plan, "h2+nginx"), { name: "nginx", definition: { program: "nginx" } });
  assert.deepEqual(serverOf(plan, "h2+mine"), { name: "mine", definition: mine });
  assert.throws(() => serverNamed(plan, "apache"), {
    message:
      'server "apache" is not known: use replay, nginx, caddy, haproxy, h2o, or define it (--server apache=COMMAND)',
  });
});

test("a program serves the lanes that it can", () => {
  assert.equal(laneRefusal("h2", "has none", "takes none"), null);
  assert.equal(laneRefusal("h3", "has none", null), "has none");
  assert.equal(laneRefusal("h3-altsvc", null, null), null);
  assert.equal(laneRefusal("h1-clear", null, null), "ends TLS, and this lane has none");
  assert.equal(laneRefusal("h2-0rtt", null, "takes none"), "takes none");
  assert.equal(laneRefusal("h2-0rtt", "has none", null), null);
  assert.equal(laneRefusal("h3-0rtt", null, null), "logs no early data over QUIC");
});

test("one server's lanes come after another's, without those that it cannot serve", async () => {
  const leftOut: string[] = [];
  const plan = { servers: { mine: { command: "exec mine" } } };
  const labels = await laneLabels(["h2", "h2-0rtt"], ["replay", "mine"], plan, (line) => leftOut.push(line));
  assert.deepEqual(labels, ["h2+replay", "h2-0rtt+replay", "h2+mine"]);
  assert.deepEqual(leftOut, ["h2-0rtt+mine is left out: mine is not set up for early data"]);
});

test("named servers take the place of those that a plan's lanes have", async () => {
  const options = { servers: "replay", server: ["mine=exec mine"] };
  const lines: string[] = [];
  const served = await servedLanes(options, ["h2+nginx", "h2", "h1-clear@firefox"], (line) => lines.push(line));
  assert.deepEqual(served, {
    lanes: ["h2+replay", "h1-clear@firefox+replay", "h2+mine"],
    servers: { mine: { command: "exec mine" } },
  });
  assert.deepEqual(lines, ["h1-clear@firefox+mine is left out: mine ends TLS, and this lane has none"]);
  assert.equal(await servedLanes({}, ["h2+nginx"], () => undefined), null);
  await assert.rejects(
    servedLanes({ server: ["mine=exec mine"] }, ["h1-clear"], () => undefined),
    {
      message: "h1-clear+mine is left out: mine ends TLS, and this lane has none",
    },
  );
});

test("--server takes a command, or a configuration whose program its name says", () => {
  const folder = tempFolder("servers-");
  const [known, unknown] = [join(folder, "my-nginx.conf"), join(folder, "x.conf")];
  for (const file of [known, unknown]) writeFileSync(file, "");
  assert.deepEqual(chosenServers({ servers: "replay, nginx", server: [`mine=${known}`, "own=exec server -p 443"] }), {
    names: ["replay", "nginx", "mine", "own"],
    servers: { mine: { program: "nginx", configuration: known }, own: { command: "exec server -p 443" } },
  });
  assert.deepEqual(chosenServers({ servers: undefined, server: [`mine=h2o:${unknown}`] })?.servers, {
    mine: { program: "h2o", configuration: unknown },
  });
  assert.equal(chosenServers({ servers: undefined, server: [] }), null);
  const refused: [readonly string[], RegExp][] = [
    [[`mine=${unknown}`], /x\.conf does not say of which program it is: write nginx:/],
    [["replay=exec x"], /must be NAME=COMMAND or NAME=FILE/],
    [["mine"], /must be NAME=COMMAND or NAME=FILE/],
    [["mine=nginx:/nowhere.conf"], /no file \/nowhere\.conf/],
  ];
  for (const [server, message] of refused)
    assert.throws(() => chosenServers({ servers: undefined, server: [...server] }), { message });
  assert.throws(() => chosenServers({ servers: "nginx,nginx", server: [] }), /a name stands there twice/);
});

test("live servers load the lanes that a browser can force on them, under one name", async () => {
  const plan = { servers: { live: { live: {} } } };
  assert.deepEqual(serverOf(plan, "h3+live")?.definition, { live: {} });
  assert.match(liveSentence(plan) ?? "", /^The servers are live: /);
  assert.equal(liveSentence({ servers: { mine: { command: "exec mine" } } }), null);
  await refuseServers({ ...plan, lanes: ["h1+live", "h2+live", "h3+live"] });
  await assert.rejects(
    refuseServers({ ...plan, lanes: ["h3-0rtt+live"] }),
    /^UserError: lane h3-0rtt\+live: .* visited once/,
  );
  const terms = { name: "live", pages: ["shop"], links: ["3g"], repetitions: 1 };
  for (const [change, message] of [
    [
      { lanes: ["h1+mine"], servers: { mine: { live: {} } } },
      /servers\.mine: live servers, and only these, are called live/,
    ],
    [
      { lanes: ["h1+live"], servers: { live: { command: "exec mine" } } },
      /servers\.live: live servers, and only these, are called live/,
    ],
    [{ lanes: ["h1+live"], servers: { live: { live: {}, command: "x" } } }, /is two of program, command and live/],
    [{ lanes: ["h1+live"], ...plan, serving: { think: "recorded" } }, /the servers of h1\+live are live and serve as/],
    [{ lanes: ["h1+live"], ...plan, cross_traffic: { flows: ["tcp:bbr"] } }, /cross_traffic ends at a server of ours/],
  ] as const)
    assert.throws(() => planOf({ ...terms, ...change }, "live"), message);
  assert.deepEqual(planOf({ ...terms, ...plan, lanes: ["h1", "h1+live"] }, "live").lanes, ["h1", "h1+live"]);
});
