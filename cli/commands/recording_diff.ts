// `trilane recording diff`: what differs between two recordings in what a replay serves by.

import type { DiffChange, RecordingDiffered } from "../../schemas/generated/recording_differed.ts";
import { homeFolder } from "../base/home.ts";
import { count, formatSize } from "../base/numbers.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { withArchive } from "../recording/archive/client.ts";
import { diffExchanges } from "../recording/edit/diff.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .positional("a", { demandOption: true, describe: "name of a recording" })
    .positional("b", { demandOption: true, describe: "name of another" })
    .example("trilane recording diff shop shop-lean", "- only in shop, + only in shop-lean, ~ changed");

type DiffOptions = OptionsOf<typeof define>;

function line({ method, url, a, b, aspects }: DiffChange): string {
  if (!b) return `- ${method} ${url}`;
  if (!a) return `+ ${method} ${url}`;
  const changes = aspects.map((aspect) => {
    if (aspect === "status") return `status ${a.status} to ${b.status}`;
    if (aspect === "address") return `address ${a.address} to ${b.address}`;
    if (aspect === "body") return `body ${formatSize(a.body_size)} to ${formatSize(b.body_size)}`;
    return aspect;
  });
  return `~ ${method} ${url}: ${changes.join(", ")}`;
}

export const command: Command<DiffOptions> = {
  usage: "diff <a> <b>",
  summary: "What differs between two recordings",
  define,
  async run(options) {
    const [a, b] = await withArchive(
      homeFolder(options.home),
      async (archive) => [await archive.show(options.a), await archive.show(options.b)] as const,
    );
    const diff = diffExchanges(a.exchanges, b.exchanges);
    const identical = a.recording.digest === b.recording.digest;
    const document: RecordingDiffered = {
      schema: "trilane/recording-differed/1",
      a: { name: a.recording.name, digest: a.recording.digest },
      b: { name: b.recording.name, digest: b.recording.digest },
      same: diff.same,
      same_order: diff.same_order,
      changes: diff.changes,
    };
    const lines = [
      identical
        ? `the same: ${count(diff.same, "exchange")}`
        : `${count(diff.same, "exchange")} the same, ${diff.changes.length} not`,
      ...(diff.same_order ? [] : ["in another order"]),
      ...diff.changes.map(line),
    ];
    if (options.json) printJson(document);
    else printLines(lines);
  },
};
