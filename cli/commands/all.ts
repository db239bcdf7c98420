// The list of commands, in the sections and the order of `trilane --help`. A command's module is loaded where it is needed: all
// of them take longer to load than most commands run.
import type { Command } from "./command.ts";

type Load = () => Promise<{ readonly command: Command }>;

const sections: readonly { readonly title: string; readonly commands: Readonly<Record<string, Load>> }[] = [
  {
    title: "Race pages, read results:",
    commands: {
      start: () => import("./start.ts"),
      race: () => import("./race.ts"),
      video: () => import("./video.ts"),
      report: () => import("./report.ts"),
      compare: () => import("./compare.ts"),
      list: () => import("./list.ts"),
      export: () => import("./export.ts"),
      open: () => import("./open.ts"),
    },
  },
  {
    title: "Pages to race:",
    commands: {
      record: () => import("./record.ts"),
      import: () => import("./import.ts"),
      synth: () => import("./synth.ts"),
      corpus: () => import("./corpus.ts"),
      recording: () => import("./recording.ts"),
      remove: () => import("./remove.ts"),
    },
  },
  {
    title: "Many pages and links:",
    commands: {
      sweep: () => import("./sweep.ts"),
      plan: () => import("./plan.ts"),
      bundle: () => import("./bundle.ts"),
      reproduce: () => import("./reproduce.ts"),
      submit: () => import("./submit.ts"),
      cell: () => import("./cell.ts"),
      merge: () => import("./merge.ts"),
    },
  },
  {
    title: "Transports and the link, without a browser:",
    commands: {
      flows: () => import("./flows.ts"),
      fetch: () => import("./fetch.ts"),
      links: () => import("./links.ts"),
      shell: () => import("./shell.ts"),
      meter: () => import("./meter.ts"),
      steer: () => import("./steer.ts"),
      trace: () => import("./trace.ts"),
      selftest: () => import("./selftest.ts"),
    },
  },
  {
    title: "This machine:",
    commands: {
      doctor: () => import("./doctor.ts"),
      calibrate: () => import("./calibrate.ts"),
      "install-host": () => import("./install_host.ts"),
      completion: () => import("./completion.ts"),
      man: () => import("./man.ts"),
    },
  },
];

const loads = new Map(sections.flatMap(({ commands }) => Object.entries(commands)));

/** Null if there is none of that name. */
export async function loadCommand(name: string): Promise<Command | null> {
  return (await loads.get(name)?.())?.command ?? null;
}

export interface CommandSection {
  readonly title: string;
  readonly commands: readonly Command[];
}

export function loadSections(): Promise<CommandSection[]> {
  const loaded = sections.map(async ({ title, commands }) => ({
    title,
    commands: (await Promise.all(Object.values(commands).map((load) => load()))).map(({ command }) => command),
  }));
  return Promise.all(loaded);
}

export async function loadCommands(): Promise<Command[]> {
  return (await loadSections()).flatMap(({ commands }) => commands);
}
