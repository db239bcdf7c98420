// A native host that answers by a script, for what the real one never does: another version, garbage, silence, an end in
// the middle of a race. Started by the browser: `node scripted_host.ts MODE FOLDER`; FOLDER keeps what one process tells
// the next, and `asked`, one line for each message that came.
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [mode = "", folder = ""] = process.argv.slice(2);

interface Message {
  readonly id: number;
  readonly type: string;
  readonly [field: string]: unknown;
}

function send(message: object): void {
  const text = Buffer.from(JSON.stringify(message));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  process.stdout.write(Buffer.concat([length, text]));
}

const hello = {
  ok: true,
  version: mode === "other-version" ? "9.9.9" : "0.1.0",
  schema: mode === "other-version" ? "trilane/message/9" : "trilane/message/1",
  features: ["archive", "doctor", "lab", "links", "profile", "race"],
};
const loads = [1, 2, 3, 4].map((done) => ({
  event: "load-finished",
  lane: done % 2 === 0 ? "h2" : "h3",
  status: "valid",
  plt_ms: 100 * done,
  done,
  loads: 4,
  left_s: 4 - done,
}));
const lines = [{ event: "sweep-started", loads: 4, done: 0, expected_s: 4 }, ...loads];
const result = {
  schema: "trilane/race-result/1",
  page: "x",
  url: null,
  link: { form: "x", label: "x" },
  runs: 2,
  sweep: 1,
  lanes: [],
  comparisons: [],
  verdict: { sentences: ["None."] },
  excluded: [],
  report_path: null,
  made: "2026-11-21T10:00:00Z",
};

function answer({ id, type }: Message): void {
  switch (type) {
    case "hello":
      send({ id, ...hello });
      return;
    case "links":
      if (mode === "parts") {
        send({ id, event: "part", index: 1, data: "{}" });
        send({ id, ok: true, parts: 1 });
      } else if (mode === "refuses") {
        send({ id, ok: false, error: { code: "failed", message: "links: none", remedy: "look for some" } });
      } else {
        const text = JSON.stringify({
          schema: "trilane/links/1",
          links: [{ name: "3g", form: "3g", source: "Trilane", summary: "slow" }],
        });
        for (const [index, data] of [text.slice(0, 20), text.slice(20)].entries())
          send({ id, event: "part", index, data });
        send({ id, ok: true, parts: 2 });
      }
      return;
    case "profile.begin":
      send({ id, ok: true, upload: 1 });
      return;
    case "profile.data":
      if (mode === "full")
        send({ id, ok: false, error: { code: "disk-full", message: "the disk is full", remedy: "make room" } });
      else send({ id, ok: true });
      return;
    case "profile.commit":
      send({ id, ok: true, profile: "0123456789abcdef" });
      return;
    case "race.start":
      send({ id, ok: true, race: "fedcba9876543210" });
      return;
    case "race.follow": {
      const first = !existsSync(join(folder, "followed"));
      writeFileSync(join(folder, "followed"), "");
      const told = mode === "dies" && first ? lines.slice(0, 3) : lines;
      for (const [number, line] of told.entries()) send({ id, event: "line", number, line });
      if (mode === "dies" && first) process.exit(1);
      if (mode === "waits") return;
      send({ id, ok: true, state: "finished", exit: 0, error: null, sweep: 1 });
      return;
    }
    case "race.cancel":
      send({ id, ok: true });
      return;
    case "race.result":
      send({ id, ok: true, result });
      return;
    default:
      send({ id, ok: true });
  }
}

let held = Buffer.alloc(0);
process.stdin.on("data", (data: Buffer) => {
  held = Buffer.concat([held, data]);
  while (held.length >= 4 && held.length >= 4 + held.readUInt32LE()) {
    const end = 4 + held.readUInt32LE();
    const message = JSON.parse(held.subarray(4, end).toString()) as Message;
    held = held.subarray(end);
    appendFileSync(join(folder, "asked"), `${JSON.stringify(message)}\n`);
    if (mode === "silent") continue;
    if (mode === "ends") process.exit(3);
    if (mode === "garbage") process.stdout.write("this is no native message, whoever reads it");
    else if (mode === "no-object") send([1, 2] as object);
    else if (mode === "no-id") send({ ok: true });
    else if (mode === "neither") send({ id: message.id });
    else answer(message);
  }
});
process.stdin.on("end", () => process.exit(0));
