// How much later a command runs in `trilane shell`, and a browser by the script of `trilane browser-wrapper`, than on their own. In turns, wall time.
import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkout, chromiumPath } from "../../cli/base/programs.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, measurement } from "./bench.ts";

const trilane = join(checkout, "cli", "trilane");
const link = "1gbit/0ms";

function wall_ms([program = "", ...words]: readonly string[]): number {
  const began_ms = performance.now();
  execFileSync(program, words, { stdio: ["ignore", "ignore", "pipe"] });
  return performance.now() - began_ms;
}

export const bench: Bench = async (_, only, { runs }) => {
  const folder = tempFolder("trilane-bench-starts-");
  const wrapper = join(folder, "shaped-chromium");
  writeFileSync(wrapper, execFileSync(trilane, ["browser-wrapper", "--link", link]));
  chmodSync(wrapper, 0o755);
  const pairs = [
    { name: "shell", bar: 150, alone: ["true"], within: [trilane, "shell", "--link", link, "--", "true"] },
    { name: "wrapper", bar: 300, alone: [chromiumPath(), "--version"], within: [wrapper, "--version"] },
  ].filter(({ name }) => name.includes(only));
  return pairs.flatMap(({ name, bar, alone, within }) => {
    const [plain, beyond]: [number[], number[]] = [[], []];
    // The first round fills caches.
    for (let round = 0; round <= (runs ?? 20); round++) {
      const [alone_ms, within_ms] = [wall_ms(alone), wall_ms(within)];
      if (round === 0) continue;
      plain.push(alone_ms);
      beyond.push(within_ms - alone_ms);
    }
    return [
      measurement(`${alone.join(" ")}, alone`, plain, null),
      measurement(`${name}: what it adds to the start`, beyond, bar),
    ];
  });
};
