// The list of commands, in the order `trilane --help` shows them.
import type { Command } from "./command.ts";
import { command as doctor } from "./doctor.ts";
import { command as synth } from "./synth.ts";

export const allCommands: readonly Command[] = [synth, doctor];
