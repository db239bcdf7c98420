// `trilane man FOLDER`: writes the manual pages of all commands. Puts them nowhere else.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../base/errors.ts";
import { makeFolder } from "../base/make_folder.ts";
import { printLines } from "../base/terminal_text.ts";
import { version } from "../base/version.ts";
import type { Command, CommonOptions } from "./command.ts";
import { declarationOf } from "./declared.ts";
import { manPages } from "./man_page.ts";

export const command: Command<CommonOptions & { folder: string }> = {
  usage: "man <folder>",
  summary: "Write the manual pages of all commands into a folder",
  define: (yargs) =>
    yargs
      .positional("folder", { type: "string", demandOption: true, describe: "where to write them; made if missing" })
      .example("trilane man ~/.local/share/man/man1", "then: man trilane-race")
      .example("sudo trilane man /usr/local/share/man/man1", "for all users"),
  run: async ({ folder, json }) => {
    if (json) throw new UserError("man: writes manual pages: leave --json out");
    // Only here, as all commands import this one.
    const { commandSections } = await import("./all.ts");
    const sections = commandSections.map(({ title, commands }) => ({ title, commands: commands.map(declarationOf) }));
    const pages = manPages(sections, version);
    // They are for all users, also where root's files are root's alone.
    process.umask(0o022);
    try {
      makeFolder(folder, 0o755);
      for (const [name, text] of pages) writeFileSync(join(folder, name), text);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined || code === "ENOSPC") throw error;
      throw new UserError(`man: no pages can be written into ${folder} (${code}): name a folder that you can write to`);
    }
    printLines([`${pages.size} pages in ${folder}`]);
  },
};
