// Generated from ../lane-label.schema.json by `npm run generate`: change the schema instead.
import type { Lane } from "./lane.ts";

/**
 * A lane, or a lane whose transports have settings that the plan names: h2:tuned is h2 with the settings `tuned`.
 */
export type LaneLabel = Lane | LaneWithSettings;
export type LaneWithSettings = `${string}:${string}`;
