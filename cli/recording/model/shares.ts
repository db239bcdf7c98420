// Where in a document its tags stood: how much of its bytes goes before each. From the initiators' lines, else from when
// parts of a slow document were parsed, else evenly, a head's stylesheets and scripts first. Pure.
import type { GraphNode } from "./dependency_graph.ts";

/** What a document's head takes of it, as far as nothing else is known. */
const headShare = 0.08;
/** A document that came faster says nothing of places by its times. */
const slow_ms = 30;

const lineOf = ({ request }: GraphNode): number | null => request.initiator?.line ?? null;

const neverFalling = (values: readonly number[]): number[] => {
  let highest = 0;
  return values.map((value) => {
    highest = Math.max(highest, value);
    return highest;
  });
};

export function shares(document: GraphNode, found: readonly GraphNode[]): number[] {
  const lines = found.map(lineOf);
  const highest = lines.reduce<number>((most, line) => Math.max(most, line ?? 0), 0);
  // Minified, all stands on one line.
  if (highest >= found.length && lines.every((line) => line !== null))
    return neverFalling(lines.map((line) => ((line ?? 0) / (highest + 1)) * 0.98));
  const receive_ms = document.end_ms - document.firstByte_ms;
  if (receive_ms > slow_ms)
    return neverFalling(
      found.map(({ sent_ms }) => Math.min(1, Math.max(0, (sent_ms - document.firstByte_ms) / receive_ms)) * 0.98),
    );
  const body = found.findIndex(({ kind }) => kind !== "script" && kind !== "stylesheet");
  const heads = body < 0 ? found.length : body;
  return found.map((_, index) =>
    index < heads
      ? (headShare * index) / Math.max(1, heads)
      : headShare + ((0.95 - headShare) * (index - heads)) / Math.max(1, found.length - heads),
  );
}
