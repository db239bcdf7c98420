// Where the loads of a sweep leave their evidence: a folder each, named so that it is found again from a row of results.
// Pure; the folders are made by who fills them.
import { join, resolve } from "node:path";
import { asFileName } from "../../../engine/evidence_folder.ts";
import type { Cell, Sweep } from "../../../results/store/results.ts";

/** FOLDER/sweep-3/amazon/10mbit_50ms/h2-block0-attempt0. Links whose names come to the same are told apart by their cell. */
export function evidenceFolder(
  folder: string,
  sweep: Pick<Sweep, "id">,
): (cell: Pick<Cell, "id" | "page" | "link" | "lane">, block: number, attempt: number) => string {
  const linkOf = new Map<string, string>();
  const nameOf = ({ id, link }: Pick<Cell, "id" | "link">): string => {
    const name = asFileName(link);
    const first = linkOf.get(name) ?? link;
    linkOf.set(name, first);
    return first === link ? name : `${name}-cell${id}`;
  };
  return (cell, block, attempt) =>
    join(
      resolve(folder),
      `sweep-${sweep.id}`,
      asFileName(cell.page),
      nameOf(cell),
      `${cell.lane}-block${block}-attempt${attempt}`,
    );
}
