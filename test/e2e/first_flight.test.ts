// What transports are asked to be, seen on the link: how many packets a server sends before it hears of any, and how
// close to each other. Counted by the shaper, not told by the server.
// Wide: native-host/replay, shaper.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import { run } from "../product.ts";
import { tempFolder } from "../temp_folder.ts";

const folder = tempFolder("trilane-flight-");
const home = join(folder, "home");

let url = "";
before(async () => {
  ({ url } = await withArchive(home, (archive) => ensureSynth(archive, "object-1MB")));
});

const rtt_ms = 200;

/** When each full packet came to the link towards the client, in ms. */
function packetTimes(options: readonly string[]): number[] {
  const log = join(folder, "log");
  const link = ["--link", `1gbit/${rtt_ms}ms,queue=2000p`, "--recording", "object-1MB", "--log", log];
  const fetching = `await (await fetch(${JSON.stringify(url)})).arrayBuffer()`;
  const command = [process.execPath, "--input-type=module", "-e", fetching];
  const { status, stderr } = run(home, ["shell", ...link, ...options, "--", ...command]);
  assert.equal(status, 0, stderr);
  return readFileSync(`${log}.down`, "utf8")
    .split("\n")
    .flatMap((line) => {
      const [time_ms, event, size] = line.split(" ");
      return event === "+" && Number(size) > 1200 ? [Number(time_ms)] : [];
    });
}

/**
 * The full packets of the answer that left before any could be acknowledged. The handshake's own flight comes a round trip
 * before: the answer begins with the first full packet that follows a pause of half of one.
 */
function firstFlight(times: readonly number[]): number[] {
  const start = times.findIndex((time, index) => index > 0 && time - (times[index - 1] ?? 0) > rtt_ms / 2);
  const began_ms = times[start] ?? Number.NaN;
  return times.filter((time, index) => index >= start && time - began_ms < rtt_ms * 0.9);
}

/** A busy machine delays packets and joins flights: if the first flight is not as it should be, a second may be. */
function assertFlight(
  options: readonly string[],
  isRight: (flight: readonly number[]) => boolean,
  words: string,
): void {
  const first = firstFlight(packetTimes(options));
  if (isRight(first)) return;
  const second = firstFlight(packetTimes(options));
  assert.ok(isRight(second), `${JSON.stringify([first, second])}: ${words}`);
}

const mostAtOnce = (flight: readonly number[]): number =>
  Math.max(...[...Map.groupBy(flight, (time) => time).values()].map((together) => together.length));

for (const [options, packets] of [
  [[], 10],
  [["--tcp-initial-window", "20"], 20],
  [["--transport", "tuned"], 32],
] as const) {
  test(`TCP ${options.join(" ") || "stock"}: a first flight of ${packets} packets`, () => {
    // The last packet of a window may not be full, and a head takes one of its own.
    const isRight = ({ length }: readonly number[]) => length <= packets && length >= packets * 0.75;
    assertFlight(options, isRight, `not ${packets} full packets`);
  });
}

test("paced, a window is spread over the round trip; else it leaves at once", () => {
  const window = ["--tcp-initial-window", "32"];
  assertFlight([...window, "--tcp-pacing", "on"], (flight) => mostAtOnce(flight) <= 12, "within a millisecond");
  assertFlight([...window, "--tcp-pacing", "off"], (flight) => mostAtOnce(flight) > 12, "within a millisecond");
});
