// Which flows of a run are drawn as one: each by itself while there are colours for all, else those alike together.
import type { RunFlow } from "../../../../schemas/generated/flow_run.ts";
import { kindWords } from "../metrics/flow_kind.ts";

/** As many as readers tell apart, of whatever sight: extension/figures/colours.ts. */
export const mostColours = 8;

/** What of a flow decides with which others it is drawn. */
export type FlowKind = Pick<RunFlow, "transport" | "congestion" | "paced" | "direction">;

export interface DrawnGroup {
  /** Its colour, from 1. */
  readonly number: number;
  readonly name: string;
  /** Numbers of its flows in the run. */
  readonly members: readonly number[];
}

/** What of the mix a flow belongs to: one `--flow`, with the words it was written in. */
export interface MixPart {
  readonly words: string;
  readonly members: readonly number[];
}

const countInWords = /^\d+\*/;

/** `4*tcp:cubic,up` stands for four flows: `tcp:cubic,up #2`. */
function single({ words, members }: MixPart, member: number): Omit<DrawnGroup, "number"> {
  const of = words.replace(countInWords, "");
  return { name: members.length === 1 ? of : `${of} #${members.indexOf(member) + 1}`, members: [member] };
}

const numbered = (groups: readonly Omit<DrawnGroup, "number">[]): DrawnGroup[] =>
  groups.map((group, index) => ({ number: index + 1, ...group }));

/** What flows have in common where not even the parts of the mix have a colour each. */
const kindOf = (flow: FlowKind | undefined): string =>
  flow ? `${kindWords(flow)}${flow.direction === "up" ? ",up" : ""}` : "unknown";

/** `flows`: the run's. In the order of the mix. */
export function drawnGroups(flows: readonly FlowKind[], parts: readonly MixPart[]): DrawnGroup[] {
  const each = parts.flatMap((part) => part.members.map((member) => single(part, member)));
  if (each.length <= mostColours) return numbered(each);
  if (parts.length <= mostColours) return numbered(parts.map(({ words, members }) => ({ name: words, members })));
  const members = parts.flatMap((part) => part.members);
  const kinds = [...Map.groupBy(members, (member) => kindOf(flows[member]))].map(([kind, of]) => ({
    name: `${of.length}*${kind}`,
    members: of,
  }));
  if (kinds.length <= mostColours) return numbered(kinds);
  const shown = kinds.slice(0, mostColours - 1);
  const rest = kinds.slice(mostColours - 1).flatMap((kind) => kind.members);
  return numbered([...shown, { name: `${rest.length} others`, members: rest }]);
}
