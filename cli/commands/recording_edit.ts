// `trilane recording edit`: a new recording out of one that stays as it is. The work is cli/recording/edit's.

import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { count, formatSize } from "../base/numbers.ts";
import { flag, repeated } from "../base/option.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { withArchive } from "../recording/archive/client.ts";
import { type BodyReplacement, editRecording } from "../recording/edit/edit.ts";
import { importedDocument } from "../recording/import/imported.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .positional("recording", { demandOption: true, describe: "name of the recording, which stays" })
    .option("as", { demandOption: true, describe: "what to call the new one" })
    .option("remove-host", repeated("leave out a host; *.example.org: a domain with all its hosts"))
    .option("remove-url", repeated("leave out a URL; * stands for anything"))
    .option("replace-body", repeated("URL=FILE: answer with the file, in the response's content-encoding"))
    .option("url", { describe: "another start URL" })
    .option("replace", flag("replace a recording of the new name"))
    .example("trilane recording edit shop --as lean --remove-host '*.ads.example'", "without a third party")
    .example("trilane recording edit shop --as new-css --replace-body 'https://shop.example/a.css=a.css'", "");

type EditOptions = OptionsOf<typeof define>;

/** "URL=FILE"; a URL may have = in its query, a file's path more rarely. */
function readReplacement(text: string): BodyReplacement {
  const at = text.lastIndexOf("=");
  const [url, file] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || file === "") throw new UserError(`--replace-body ${text}: is not written as URL=FILE`);
  return { url, file };
}

export const command: Command<EditOptions> = {
  usage: "edit <recording>",
  summary: "A new recording without hosts or URLs, or with other bodies",
  define,
  async run(options) {
    const edits = {
      removeHosts: options["remove-host"],
      removeUrls: options["remove-url"],
      replaceBodies: options["replace-body"].map(readReplacement),
      startUrl: options.url,
    };
    const { recording, as, replace } = options;
    if (edits.removeHosts.length + edits.removeUrls.length + edits.replaceBodies.length === 0 && !options.url)
      throw new UserError("recording edit: nothing to change: see `trilane recording edit --help`");
    const edited = await withArchive(homeFolder(options.home), (archive) =>
      editRecording(archive, { name: recording, as, replace }, edits),
    );
    if (options.json) {
      printJson(importedDocument([edited.recording]));
      return;
    }
    const { name, exchanges, body_bytes } = edited.recording;
    const done = `${edited.removed} removed, ${count(edited.replaced, "body", "bodies")} replaced`;
    printLines([`${name}: ${count(exchanges, "exchange")}, ${formatSize(body_bytes)}: ${done}`]);
  },
};
