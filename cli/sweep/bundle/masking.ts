// What is secret in the rows of most instruments, masked on their way into a bundle.
import { createHash } from "node:crypto";
import { textMasked } from "../../results/store/copy_sweep.ts";
import { storedJson } from "../../results/store/stored_json.ts";
import type { Masking, Row } from "./bundled_sweeps.ts";

interface NamesSubjects {
  readonly objects?: readonly string[];
  readonly mixes?: readonly { readonly name?: string }[];
}

/** What may be the subjects of a plan's cells. */
function subjectsIn({ objects = [], mixes = [] }: NamesSubjects): string[] {
  return [...objects, ...mixes.flatMap(({ name }) => name ?? [])];
}

/** By subject that differs from others only in its secrets, one that still differs when they are masked: `...?key=x#2`. */
function numbered(subjects: readonly string[]): Map<string, string> {
  const taken = new Set<string>();
  const found = new Map<string, string>();
  for (const subject of new Set(subjects)) {
    let name = subject;
    for (let number = 2; taken.has(textMasked(name)); number++) name = `${subject}#${number}`;
    taken.add(textMasked(name));
    if (name !== subject) found.set(subject, name);
  }
  return found;
}

/** A text, or one of JSON, with other subjects. */
function renamed(text: string, names: ReadonlyMap<string, string>): string {
  if (names.size === 0) return text;
  const name = names.get(text);
  if (name !== undefined || !/^[[{]/.test(text)) return name ?? text;
  try {
    return JSON.stringify(JSON.parse(text, (_, value) => names.get(value) ?? value));
  } catch {
    return text;
  }
}

/** Of instruments whose rows have secrets in URLs and by their names only. */
export function urlMasking(): Masking {
  let names: ReadonlyMap<string, string> = new Map();
  return {
    row: (table, row) => {
      if (table === "sweep") names = numbered(subjectsIn(storedJson(row.plan ?? null, "sweep.plan") as NamesSubjects));
      const masked: Row = Object.fromEntries(
        Object.entries(row).map(([column, value]) => [
          column,
          typeof value === "string" ? textMasked(renamed(value, names)) : value,
        ]),
      );
      // The digest of a plan that is masked would let its secrets be guessed: it is made anew.
      if (table === "sweep" && masked.plan !== row.plan)
        masked.plan_digest = createHash("sha256").update(String(masked.plan)).digest("hex");
      return masked;
    },
  };
}
