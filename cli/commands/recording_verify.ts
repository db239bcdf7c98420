// `trilane recording verify`: whether recordings can be replayed as they were recorded. Exit status 1 where one is damaged.

import type {
  NamedExchange,
  RecordingsVerified,
  VerifiedRecording,
} from "../../schemas/generated/recordings_verified.ts";
import { RunError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { count } from "../base/numbers.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { withArchive } from "../recording/archive/client.ts";
import { verifyRecording } from "../recording/edit/verify.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .positional("recording", { array: true, demandOption: true, describe: "names of recordings" })
    .example("trilane recording verify shop", "reads all of it; exit status 1 if it is damaged");

type VerifyOptions = OptionsOf<typeof define>;

const shownEach = 10;
const problems = { missing: "is missing", size: "has another size", content: "has other bytes" } as const;

function list(title: string, exchanges: readonly NamedExchange[]): string[] {
  if (exchanges.length === 0) return [];
  const shown = exchanges.slice(0, shownEach).map(({ seq, url }) => `    ${seq}: ${url}`);
  const more = exchanges.length - shown.length;
  return [
    `  ${count(exchanges.length, "body", "bodies")} ${title}:`,
    ...shown,
    ...(more > 0 ? [`    and ${more} more`] : []),
  ];
}

const isDamaged = ({ damaged, digest_matches }: VerifiedRecording): boolean => damaged.length > 0 || !digest_matches;

function lines(verified: VerifiedRecording): string[] {
  const { recording, digest_matches, damaged, misencoded, filled, cut_off, unsent_headers, documents } = verified;
  return [
    `${recording.name}: ${count(recording.exchanges, "exchange")}, ${isDamaged(verified) ? "DAMAGED: import it again" : "whole"}`,
    ...(digest_matches ? [] : ["  its rows are not those that were written (another digest)"]),
    ...damaged.map(({ seq, part, url, problem }) => `  ${seq}: the ${part}'s body ${problems[problem]}: ${url}`),
    ...list("not in the content-encoding named, as recorded", misencoded),
    ...list("cut off when recorded", cut_off),
    ...list("filled in, because the source did not have them", filled),
    ...(unsent_headers > 0
      ? [`  ${count(unsent_headers, "header")} kept that no lane sends: of one connection, Alt-Svc, or illegal in HTTP`]
      : []),
    ...(documents.length > 0 ? [] : [`  the start URL ${recording.url} has no response: a load of it will fail`]),
  ];
}

export const command: Command<VerifyOptions> = {
  usage: "verify <recording..>",
  summary: "Whether every body is there and what it says it is",
  define,
  async run(options) {
    const verified = await withArchive(homeFolder(options.home), async (archive) => {
      const all: VerifiedRecording[] = [];
      for (const name of new Set(options.recording)) all.push(await verifyRecording(archive, name));
      return all;
    });
    const recordings = verified as RecordingsVerified["recordings"];
    const document: RecordingsVerified = { schema: "trilane/recordings-verified/1", recordings };
    if (options.json) printJson(document);
    else printLines(verified.flatMap(lines));
    const bad = verified.filter(isDamaged).map(({ recording }) => recording.name);
    if (bad.length > 0) throw new RunError(`damaged: ${bad.join(", ")}: import again what they were made of`);
  },
};
