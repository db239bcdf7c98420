// `trilane recording show`: what a recording is made of, as tables no wider than 80 columns, or each of its requests.

import type { ExchangeGroup, RecordingShown } from "../../schemas/generated/recording_shown.ts";
import { homeFolder } from "../base/home.ts";
import { middleCut } from "../base/middle_cut.ts";
import { count, formatSize } from "../base/numbers.ts";
import { flag } from "../base/option.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { textTable } from "../base/text_table.ts";
import type { ArchivedExchange, Recording } from "../recording/archive/archive.ts";
import { withArchive } from "../recording/archive/client.ts";
import { mediaType, summarize } from "../recording/edit/summary.ts";
import { urlOf } from "../recording/export/recording_source.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .positional("recording", { demandOption: true, describe: "name of the recording" })
    .option("requests", flag("a line for each request instead"))
    .example("trilane recording show shop --requests", "every request")
    .example("trilane recording show shop --json", "all of it, headers too (schemas/recording-shown.schema.json)");

type ShowOptions = OptionsOf<typeof define>;

/** More are summed up: the JSON has them all. */
const mostRows = 20;
const longestName = 44;

function table(title: string, groups: readonly ExchangeGroup[]): string[] {
  const hasFilled = groups.some(({ filled }) => filled > 0);
  const rowOf = ({ name, exchanges, body_bytes, filled }: ExchangeGroup): string[] => [
    middleCut(name, longestName),
    `${exchanges}`,
    formatSize(body_bytes),
    ...(hasFilled ? [`${filled}`] : []),
  ];
  const rest = groups.slice(mostRows);
  const sum = (value: (group: ExchangeGroup) => number): number =>
    rest.reduce((total, group) => total + value(group), 0);
  const others: ExchangeGroup = {
    name: `${rest.length} others`,
    exchanges: sum(({ exchanges }) => exchanges),
    body_bytes: sum(({ body_bytes }) => body_bytes),
    filled: sum(({ filled }) => filled),
  };
  return textTable([
    [title, "exchanges", "size", ...(hasFilled ? ["filled"] : [])],
    ...groups.slice(0, mostRows).map(rowOf),
    ...(rest.length > 0 ? [rowOf(others)] : []),
  ]);
}

function summaryLines(recording: Recording, summary: RecordingShown["by"]): string[] {
  const { name, url, source, exchanges, hosts, addresses, body_bytes, filled, recorded_at, created_at, digest } =
    recording;
  const size = `${count(hosts, "host")}, ${count(addresses, "address", "addresses")}, ${formatSize(body_bytes)}`;
  return [
    `${name}: ${count(exchanges, "exchange")}, ${size}, ${url}`,
    `  from ${source}, ${recorded_at === null ? "" : `recorded ${recorded_at}, `}made ${created_at}, digest ${digest.slice(0, 16)}`,
    ...(filled > 0 ? [`  ${count(filled, "body is", "bodies are")} filled in: the source did not have them`] : []),
    "",
    ...table("host", summary.host),
    "",
    ...table("type", summary.type),
    "",
    ...table("size", summary.size),
    "",
    ...table("protocol", summary.protocol),
    "",
    ...table("status", summary.status),
  ];
}

function requestLines(exchanges: readonly ArchivedExchange[]): string[] {
  const rows = exchanges.map((exchange) => [
    `${exchange.seq}`,
    exchange.method,
    `${exchange.status}`,
    formatSize(exchange.body_size),
    exchange.body_origin,
    exchange.address,
    mediaType(exchange) || "-",
  ]);
  const table = textTable([["no.", "method", "status", "size", "body", "address", "type"], ...rows]);
  return table.map(
    (line, index) => `${line}  ${index === 0 ? "URL" : urlOf(exchanges[index - 1] as ArchivedExchange)}`,
  );
}

export const command: Command<ShowOptions> = {
  usage: "show <recording>",
  summary: "What is in a recording",
  define,
  async run(options) {
    const { recording, exchanges } = await withArchive(homeFolder(options.home), (archive) =>
      archive.show(options.recording),
    );
    const summary = summarize(exchanges);
    const shown = {
      schema: "trilane/recording-shown/1",
      recording,
      by: summary,
      exchanges,
    } as unknown as RecordingShown;
    const lines = options.requests ? requestLines(exchanges) : summaryLines(recording, summary);
    if (options.json) printJson(shown);
    else printLines(lines);
  },
};
