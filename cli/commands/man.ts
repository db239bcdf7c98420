// `trilane man FOLDER`: writes the manual pages of all commands. Puts them nowhere else.
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ManWritten } from "../../schemas/generated/man_written.ts";
import { createTempSibling } from "../base/create_temp_sibling.ts";
import { UserError } from "../base/errors.ts";
import { makeFolder } from "../base/make_folder.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { version } from "../base/version.ts";
import { declaredSections } from "./all.ts";
import type { Command, CommonOptions } from "./command.ts";
import { manPages } from "./man_page.ts";

/** Takes the place of what is there, also of a symlink: root may write where others could put one. */
function replaceFile(path: string, text: string): void {
  const { aside, keep } = createTempSibling(path);
  try {
    writeFileSync(aside, text);
    renameSync(aside, path);
  } finally {
    rmSync(aside, { force: true });
    keep();
  }
}

export const command: Command<CommonOptions & { folder: string }> = {
  usage: "man <folder>",
  summary: "Write the manual pages of all commands into a folder",
  define: (table) =>
    table
      .positional("folder", { demandOption: true, describe: "where to write them; made if missing" })
      .example("trilane man ~/.local/share/man/man1", "then: man trilane-race")
      .example("sudo trilane man /usr/local/share/man/man1", "for all users"),
  run: async ({ folder, json }) => {
    const pages = manPages(await declaredSections(), version);
    // They are for all users, also where root's files are root's alone.
    process.umask(0o022);
    try {
      makeFolder(folder, 0o755);
      for (const [name, text] of pages) replaceFile(join(folder, name), text);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined || code === "ENOSPC") throw error;
      throw new UserError(`man: no pages can be written into ${folder} (${code}): name a folder that you can write to`);
    }
    const written: ManWritten = { schema: "trilane/man-written/1", folder: resolve(folder), pages: [...pages.keys()] };
    if (json) printJson(written);
    else printLines([`${pages.size} pages in ${folder}`]);
  },
};
