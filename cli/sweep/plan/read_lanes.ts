// Lanes as a command line names them. No plan's.
import { UserError } from "../../base/errors.ts";
import { allLanes, isLane } from "../../base/lanes.ts";

/** `h1,h3` as lanes; `all`: every one there is. UserError naming the one that is none. */
export function readLanes(text: string): string[] {
  if (text.trim() === "all") return [...allLanes];
  const lanes = text.split(",").map((lane) => lane.trim());
  const unknown = lanes.find((lane) => !isLane(lane));
  if (unknown !== undefined)
    throw new UserError(`lane ${JSON.stringify(unknown)} is not known: use ${allLanes.join(", ")}`);
  return lanes;
}
