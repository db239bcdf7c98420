// The list of commands, in the sections and the order of `trilane --help`.
import { command as calibrate } from "./calibrate.ts";
import { command as cell } from "./cell.ts";
import type { Command } from "./command.ts";
import { command as compare } from "./compare.ts";
import { command as completion } from "./completion.ts";
import { command as doctor } from "./doctor.ts";
import { command as exportCommand } from "./export.ts";
import { command as importCommand } from "./import.ts";
import { command as installHost } from "./install_host.ts";
import { command as links } from "./links.ts";
import { command as list } from "./list.ts";
import { command as man } from "./man.ts";
import { command as merge } from "./merge.ts";
import { command as meter } from "./meter.ts";
import { command as open } from "./open.ts";
import { command as plan } from "./plan.ts";
import { command as race } from "./race.ts";
import { command as record } from "./record.ts";
import { command as recording } from "./recording.ts";
import { command as remove } from "./remove.ts";
import { command as report } from "./report.ts";
import { command as reproduce } from "./reproduce.ts";
import { command as selftest } from "./selftest.ts";
import { command as shell } from "./shell.ts";
import { command as start } from "./start.ts";
import { command as steer } from "./steer.ts";
import { command as submit } from "./submit.ts";
import { command as sweep } from "./sweep.ts";
import { command as synth } from "./synth.ts";
import { command as trace } from "./trace.ts";

export const commandSections: readonly { readonly title: string; readonly commands: readonly Command[] }[] = [
  { title: "Race pages, read results:", commands: [start, race, report, compare, list, exportCommand, open] },
  { title: "Pages to race:", commands: [record, importCommand, synth, recording, remove] },
  { title: "Many pages and links:", commands: [sweep, plan, reproduce, submit, cell, merge] },
  { title: "The link by itself:", commands: [links, shell, meter, steer, trace, selftest] },
  { title: "This machine:", commands: [doctor, calibrate, installHost, completion, man] },
];

export const allCommands: readonly Command[] = commandSections.flatMap(({ commands }) => commands);
