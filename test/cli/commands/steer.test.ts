// `trilane steer` before a socket that answers as a lab does: what it asks for, from where files are named.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { checkout } from "../../../cli/base/programs.ts";
import { parseLink } from "../../../cli/link/link.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = realpathSync(tempFolder("trilane-steer-"));
const asked: unknown[] = [];
const server = createServer((socket) =>
  socket.setEncoding("utf8").on("data", (line: string) => {
    asked.push(JSON.parse(line));
    socket.write('{"link":"loss=2%","at_ns":5,"ok":true}\n');
  }),
);
await new Promise<void>((resolve) => server.listen(join(folder, "lab"), resolve));
after(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function steer(link: string): Promise<{ code: number | null; err: string }> {
  const child = spawn(join(checkout, "cli/trilane"), ["steer", "./lab", link], { cwd: folder });
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    err += piece;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, err })));
}

async function change(link: string): Promise<string> {
  asked.length = 0;
  assert.deepEqual(await steer(link), { code: 0, err: "" });
  const [{ command, link: form }] = asked as [{ command: string; link: string }];
  assert.equal(command, "steer");
  return form;
}

test("files are named from where the command runs, not from the lab's folder", async () => {
  assert.equal(
    await change("trace_down=lte.down,loss=file:../losses"),
    `trace_down=${join(folder, "lte.down")},loss=file:${join(folder, "..", "losses")}`,
  );
  assert.equal(await change("down=1mbit,loss=2%"), "down=1mbit,loss=2%");
});

test("a JSON file of a profile is a whole link but for the seed", async () => {
  const cases: [string, string][] = [
    ["down=8mbit,up=1mbit,rtt=60ms,aqm=codel,seed=9", "unlimited,down=8mbit,up=1mbit,rtt=60ms,aqm=codel"],
    ["3mbit/50ms,loss=1%", "3mbit/50ms,loss=1%"],
    ["trace=lte,rtt=9ms", `unlimited,trace=${join(folder, "lte")},rtt=9ms`],
  ];
  for (const [form, expected] of cases) {
    writeFileSync(join(folder, "office.json"), JSON.stringify(parseLink(form)));
    assert.equal(await change("office.json"), expected);
  }
  const { code, err } = await steer("home.json");
  assert.equal(code, 2);
  assert.match(err, /^trilane: link: .*home\.json: no such file: name another, or write the link\n$/);
});
