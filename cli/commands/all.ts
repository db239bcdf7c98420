// The list of commands, in the sections and the order of `trilane --help`. A command's module is loaded where it is needed: all
// of them take longer to load than most commands run.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../base/programs.ts";
import type { Command } from "./command.ts";
import { type Declaration, declarationOf, type Section } from "./declared.ts";

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
      time: () => import("./time.ts"),
      links: () => import("./links.ts"),
      shell: () => import("./shell.ts"),
      "browser-wrapper": () => import("./browser_wrapper.ts"),
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

/** A command or one of its actions, as `recording check`. Null if there is none of that name. */
export async function loadCommand(name: string): Promise<Command | null> {
  const [first = "", action] = name.split(" ");
  const found = (await loads.get(first)?.())?.command ?? null;
  return action === undefined ? found : (found?.actions?.find(({ usage }) => usage.split(" ")[0] === action) ?? null);
}

/** In a bundle (cli/install/packages/bundle.ts), the file with frozenDeclarations of its sources: no command is loaded to know its options. */
declare const TRILANE_DECLARATIONS: string | undefined;
let thawed: readonly Section[] | null = null;

/** JSON.parse could do so itself, at twice the time that `--version` may take. */
const withMaps = (declaration: Declaration): Declaration => ({
  ...declaration,
  options: new Map(declaration.options),
  groups: new Map(declaration.groups),
  actions: declaration.actions.map(withMaps),
});

function frozen(): readonly Section[] | null {
  if (thawed || typeof TRILANE_DECLARATIONS === "undefined") return thawed;
  const text = readFileSync(join(checkout, TRILANE_DECLARATIONS), "utf8");
  thawed = (JSON.parse(text) as Section[]).map(({ title, commands }) => ({ title, commands: commands.map(withMaps) }));
  return thawed;
}

/** What all commands declare, as JSON. */
export async function frozenDeclarations(): Promise<string> {
  return JSON.stringify(await declaredSections(), (_, value: unknown) => (value instanceof Map ? [...value] : value));
}

/** What all commands declare, in the sections and the order of `trilane --help`. */
export async function declaredSections(): Promise<readonly Section[]> {
  const load = async ({ title, commands }: (typeof sections)[number]): Promise<Section> => {
    const loaded = await Promise.all(Object.values(commands).map((each) => each()));
    return { title, commands: loaded.map(({ command }) => declarationOf(command)) };
  };
  return frozen() ?? (await Promise.all(sections.map(load)));
}

export async function declaredCommands(): Promise<Declaration[]> {
  return (await declaredSections()).flatMap(({ commands }) => commands);
}

/** What a command declares, without a look at the others. Null if there is none of that name. */
export async function declaredCommand(name: string): Promise<Declaration | null> {
  const all = frozen();
  if (all) return all.flatMap(({ commands }) => commands).find((each) => each.name === name) ?? null;
  const command = await loadCommand(name);
  return command && declarationOf(command);
}
