// trilane-fetch in a lab in which a server of others stands in front of a recording, or trilane-replay alone serves it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { programPath } from "../../cli/base/programs.ts";
import { parseLink } from "../../cli/link/link.ts";
import { flightArguments, readFirstFlight } from "../../cli/load/first_flight.ts";
import { labCommand } from "../../cli/load/lab.ts";
import { prepareServer, readServer } from "../../cli/load/server_run.ts";
import type { ServerProgram } from "../../cli/load/servers/programs.ts";
import type { FetchRecord } from "../../schemas/generated/fetch_record.ts";
import { tempFolder } from "../temp_folder.ts";

export interface ServedFetch {
  readonly home: string;
  readonly recording: { readonly name: string; readonly digest: string };
  readonly urls: readonly string[];
  readonly lane: "h1" | "h2" | "h3";
  /** null: trilane-replay alone. */
  readonly server: ServerProgram | null;
  readonly link?: string;
  /** For a capture. Default: none is taken. */
  readonly pcapng?: string;
  /** Further options of trilane-replay. */
  readonly replayOptions?: readonly string[];
}

export interface Served {
  readonly records: readonly FetchRecord[];
  /** Of the server while it served; null: none, or not known. */
  readonly cpu_ms: number | null;
  readonly firstFlight_bytes: number | null;
}

/** All URLs over one connection, one after another. */
export async function servedFetch(asked: ServedFetch): Promise<Served> {
  const { home, recording, urls, lane, server, link = "1gbit/2ms", pcapng } = asked;
  const scratch = tempFolder("trilane-served-");
  const run =
    server && (await prepareServer({ name: server, definition: { program: server } }, { home, recording, scratch }));
  const flights = flightArguments(scratch, null);
  const profile = parseLink(link);
  const lab = labCommand({
    ...{ home, recording: recording.name, link: profile, reports: null },
    replayOptions: [...(asked.replayOptions ?? []), ...(run?.replayOptions ?? [])],
    ...(run ? { server: run.words } : {}),
    shaperOptions: [...flights.words, ...(pcapng === undefined ? [] : ["--pcapng", pcapng])],
  });
  const list = join(scratch, "urls");
  writeFileSync(list, urls.join("\n"));
  const client = [
    programPath("trilane-fetch"),
    "--lane",
    lane,
    "--insecure",
    "--reuse",
    "--timeout",
    "120",
    "--urls",
    list,
  ];
  const [program = "", ...words] = [...lab.replay, ...lab.shaper, ...client];
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
  const [printed, said] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  assert.equal(child.exitCode, 0, said);
  const records = printed
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as FetchRecord);
  const firstFlight_bytes = await readFirstFlight(flights.files, profile.rtt_ms, false);
  return { records, cpu_ms: run ? (await readServer(run, null)).facts.cpu_ms : null, firstFlight_bytes };
}

/** What a server may not change of an answer. */
export const answerOf = ({ url, http_version, status, body_sha256 }: FetchRecord): string =>
  `${url} ${http_version} ${status} ${body_sha256}`;
