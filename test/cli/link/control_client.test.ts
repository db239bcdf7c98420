// cli/link/control_client.ts against a socket that answers as trilane-shaper does, and against what is none.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { UserError } from "../../../cli/base/errors.ts";
import { LinkControl, LinkEnded } from "../../../cli/link/control_client.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-control-");

/** Hands each line, as it comes, to `answer`. */
function serve(
  name: string,
  answer: (line: string, socket: Socket) => void,
): Promise<{ path: string; server: Server }> {
  const path = join(folder, name);
  const server = createServer((socket) => {
    let text = "";
    socket.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
        answer(text.slice(0, end), socket);
        text = text.slice(end + 1);
      }
    });
    socket.on("error", () => undefined);
  });
  return new Promise((resolve) => server.listen(path, () => resolve({ path, server })));
}

test("asks a line, takes a line, in order and in pieces", async () => {
  const asked: unknown[] = [];
  const { path, server } = await serve("good", (line, socket) => {
    asked.push(JSON.parse(line));
    const answer =
      asked.length === 1
        ? '{"stats":{"schema":"trilane/shaper-stats/1","changes":0},"ok":true}\n'
        : '{"link":"loss=2%","at_ns":5,"ok":true}\n';
    socket.write(answer.slice(0, 10));
    setTimeout(() => socket.write(answer.slice(10)), 5);
  });
  const control = await LinkControl.connect(path);
  assert.equal((await control.stats()).changes, 0);
  assert.deepEqual(await control.steer("loss=2%"), { link: "loss=2%", at_ns: 5, ok: true });
  assert.deepEqual(asked, [{ command: "stats" }, { command: "steer", link: "loss=2%" }]);
  control.close();
  server.close();
});

test("a refused change is the user's error, with the link's own words", async () => {
  const { path, server } = await serve("refuses", (_line, socket) =>
    socket.write('{"ok":false,"error":"link: no setting \\"colour\\""}\n'),
  );
  const control = await LinkControl.connect(path);
  await assert.rejects(control.steer("colour=red"), new UserError('link: no setting "colour"'));
  control.close();
  server.close();
});

test("a link that ends, ends what waits for it and what is asked later", async () => {
  const { path, server } = await serve("ends", (_line, socket) => socket.destroy());
  const control = await LinkControl.connect(path);
  await assert.rejects(control.stats(), LinkEnded);
  await assert.rejects(control.stats(), LinkEnded);
  server.close();
});

test("no socket, and a file that is none, are named", async () => {
  await assert.rejects(LinkControl.connect(join(folder, "absent")), /no socket at .*absent: is the lab running\?/);
  writeFileSync(join(folder, "file"), "");
  await assert.rejects(LinkControl.connect(join(folder, "file")), /nothing listens at .*file/);
});
