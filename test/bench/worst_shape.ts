// What a bench of simulated studies is held to: a bar holds for each shape of noise, so for the worst one.
import { type Measurement, measurement } from "./bench.ts";

export interface ShapeShare {
  readonly name: string;
  /** Of studies, 0 to 1. */
  readonly share: number;
}

/** The worst of a dozen shapes errs by so many standard errors. */
const worstErrs = 2.5;

/** How far beyond a bar, in per cent, a share of so many studies may lie by chance. */
const byChance = (bar: number, studies: number): number => worstErrs * Math.sqrt((bar * (100 - bar)) / studies);

/** Says each. `bar`: per cent; null: none is promised. `studies`: of each shape, so few that chance is allowed for; null: it is not. */
export function worstShape(
  name: string,
  of: readonly ShapeShare[],
  { bar, studies }: { readonly bar: number | null; readonly studies: number | null },
  say: (line: string) => void,
): Measurement {
  for (const each of of) say(`${name}, ${each.name}: ${(each.share * 100).toFixed(1)} %`);
  const allowed = bar === null || studies === null ? bar : Number((bar + byChance(bar, studies)).toFixed(1));
  return measurement(`${name}, worst`, [Math.max(...of.map(({ share }) => share * 100))], allowed, { unit: "%" });
}

export const shareOf = <Name extends string>(
  of: readonly ({ readonly name: string } & Readonly<Record<Name, number>>)[],
  what: Name,
): ShapeShare[] => of.map((each) => ({ name: each.name, share: each[what] }));
