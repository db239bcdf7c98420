// `trilane recording show|check|verify|diff|edit|model|rm`: finds the action. What each does stands in recording_*.ts.
import { type Command, type CommonOptions, nameAnAction } from "./command.ts";
import { command as check } from "./recording_check.ts";
import { command as diff } from "./recording_diff.ts";
import { command as edit } from "./recording_edit.ts";
import { command as model } from "./recording_model.ts";
import { command as show } from "./recording_show.ts";
import { command as verify } from "./recording_verify.ts";
import { command as remove } from "./remove.ts";

const rm: Command<CommonOptions & { recording: string[] }> = {
  usage: "rm <recording..>",
  summary: "Remove recordings (as `trilane remove`)",
  define: (table) =>
    table.positional("recording", { array: true, demandOption: true, describe: "names of recordings" }),
  run: (options, house) => remove.run({ ...options, sweep: [], everything: false, yes: false }, house),
};

export const command: Command = {
  usage: "recording",
  summary: "Show, check, verify, compare, edit and model recordings",
  actions: [show, check, verify, diff, edit, model, rm],
  define: (table) =>
    table
      .example("trilane recording show shop", "what is in it, by host, type, size and protocol")
      .example("trilane recording check shop", "how much of it a load asks for, and what to do")
      .example("trilane recording verify shop", "whether every body is there and what it says it is")
      .example("trilane recording edit shop --as shop-lean --remove-host '*.ads.example'", "without a third party"),
  run: nameAnAction("recording", "show, check, verify, diff, edit, model or rm"),
};
