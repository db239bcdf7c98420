// Lanes as a command line names them. No plan's.
import { UserError } from "../../base/errors.ts";
import { allLanes, isLane } from "../../base/lanes.ts";
import { meantWords } from "../../base/nearest.ts";

/** `http2`, `HTTP/1.1` or `quic` is understood as what it means. */
function laneMeant(word: string): string {
  const lower = word.toLowerCase();
  if (lower === "quic") return "h3";
  const [, version] = /^http\/?([123])(?:\.[01])?$/.exec(lower) ?? [];
  return version === undefined ? lower : `h${version}`;
}

/** `h1,h3` as lanes; `all`: every one there is. UserError naming the one that is none. */
export function readLanes(text: string): string[] {
  if (text.trim() === "all") return [...allLanes];
  const words = text.split(",").map((lane) => lane.trim());
  const lanes = words.map(laneMeant);
  const wrong = lanes.findIndex((lane) => !isLane(lane));
  if (wrong < 0) return lanes;
  const meant = meantWords(lanes[wrong] ?? "", allLanes);
  throw new UserError(`lane ${JSON.stringify(words[wrong])} is not known:${meant} use ${allLanes.join(", ")}`);
}
