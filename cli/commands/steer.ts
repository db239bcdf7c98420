// `trilane steer`: changes a running link through its control socket.

import { printJson, printLines } from "../base/terminal_text.ts";
import { LinkControl } from "../link/control_client.ts";
import { formWithAbsoluteFiles } from "../link/files.ts";
import { defaultSeed, formatLink } from "../link/link.ts";
import { isProfileFile, readLink, withSwitchedTo } from "../link/profile_file.ts";
import { controlPath } from "../link/socket_path.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .usage("trilane steer SOCKET LINK")
    .positional("socket", { demandOption: true, describe: "the lab's control socket: its name, or a path" })
    .positional("link", { demandOption: true, describe: "the change, such as down=1mbit,loss=2%" })
    .example("trilane steer lab down=1mbit,loss=2%", "the rest stays as it is")
    .example("trilane steer lab 3g,loss=2%", "another link: all but the seed is replaced")
    .epilogue(
      "Other settings stay, and their files are not read again. A change that begins with a link (a name, RATE/RTT, a JSON " +
        "link profile) replaces the whole link except its seed. Paths are relative to this folder.",
    );

type SteerOptions = OptionsOf<typeof define>;

/** What is sent to the lab: it reads files from its own folder, and knows no profiles in JSON. */
function changeOf(link: string, folder: string): string {
  if (!isProfileFile(link)) return formWithAbsoluteFiles(withSwitchedTo(link, folder), folder);
  // A running link keeps its seed.
  const form = formatLink({ ...readLink(link, folder), seed: defaultSeed });
  // A profile is a whole link; "unlimited" is one that all else may follow.
  return /^[a-z_]+=/.test(form) ? `unlimited,${form}` : form;
}

export const command: Command<SteerOptions> = {
  usage: "steer <socket> <link>",
  summary: "Change a running link",
  define,
  run: async (options) => {
    const control = await LinkControl.connect(controlPath(options.socket));
    try {
      const answer = await control.steer(changeOf(options.link, process.cwd()));
      if (options.json) printJson(answer);
      else printLines([answer.link]);
    } finally {
      control.close();
    }
  },
};
