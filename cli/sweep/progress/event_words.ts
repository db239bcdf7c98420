// What progress shows of the events of an instrument's own, as the instrument says it (cli/engine/instrument.ts).
import type { SweepEvent } from "../../../schemas/generated/sweep_event.ts";
import type { ShownLine } from "../../base/terminal_text.ts";

/**
 * `detail`: all is well; `answer`: what the attempts say so far; `trouble`: with an attempt, which there may be many of; `warning`: what
 * whoever runs the sweep must know.
 */
export interface Said {
  readonly line: string;
  readonly weight: "detail" | "news" | "answer" | "trouble" | "warning";
  /** Of trouble: as the first reason has it. */
  readonly reason?: string;
}

/** An attempt that ended. */
export interface EndedAttempt {
  /** What was measured, and over what. */
  readonly place: string;
  /** Absent: nothing is tried twice. */
  readonly attempt?: number;
  readonly status: string;
  readonly reasons: readonly string[];
  /** Planned attempts that are done, and all. */
  readonly done: number;
  readonly all: number;
  readonly left_s: number;
}

/** `began`: an attempt did; on a terminal this follows the count. `left_s`: what is left after something that is no attempt. */
export type Shown =
  | { readonly began: string }
  | { readonly ended: EndedAttempt }
  | { readonly said: Said | null; readonly left_s?: number };

export interface EventWords {
  /** What an attempt and several are called. */
  readonly nouns: readonly [string, string];
  /** null: an event that is not of its own */
  readonly shown: (event: SweepEvent) => Shown | null;
  /** Lines above the count on a terminal, drawn from the events so far. */
  readonly tracks?: () => { readonly after: (event: SweepEvent) => void; readonly lines: () => ShownLine[] };
}

const reasonOf = ([reason = "no reason given"]: readonly string[]): string => reason;

/** What is said of an attempt; null: it is valid. `what`: it, in words. */
export const troubleOf = (what: string, { status, reasons }: Pick<EndedAttempt, "status" | "reasons">): Said | null =>
  status === "valid" ? null : { line: `${what}: ${reasonOf(reasons)}`, weight: "trouble", reason: reasonOf(reasons) };
