// `trilane links`: the links that have a name, and what a link's short form means. trilane-shaper knows them (shaper/language/link_names.c).

import type { Links, ListedLink } from "../../schemas/generated/links.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { settleFiles } from "../link/files.ts";
import { linkSentence } from "../link/label.ts";
import { describeLink, type LinkProfile, namedLinks, readForms } from "../link/link.ts";
import { readLink } from "../link/profile_file.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .positional("link", { describe: "a name, a short form, or a JSON file of a profile: what it asks for" })
    .example("trilane links", "3G to fibre, WebPageTest's, Lighthouse's and a study's links")
    .example("trilane links train", "all that one of them does to packets")
    .example("trilane links 3g,loss=ge:1%:30%,aqm=codel", "what a form means")
    .example("trilane links cable,rebind=5s,switch=8s:fast-4g", "a path that moves: new ports, then another link");

type LinksOptions = OptionsOf<typeof define>;

function allNamed(): ListedLink[] {
  const named = namedLinks();
  const read = readForms(named.map(({ form }) => form));
  return read.map(({ form, profile }, index) => ({ ...named[index], form, link: profile }) as ListedLink);
}

/** The link of --link: a known one, changed or not, or a form of no name. */
function listedForm(form: string): ListedLink {
  const [link = readLink(form, process.cwd())] = settleFiles([readLink(form, process.cwd())], process.cwd());
  const named = namedLinks().find(({ name }) => name === form.trim());
  const { name, form: canonical } = describeLink(link);
  return {
    name: named?.name ?? name,
    summary: named?.summary ?? linkSentence(link),
    source: named?.source ?? null,
    form: canonical,
    link,
  };
}

const mbit = (rate_bps: number | null): string => (rate_bps === null ? "-" : String(rate_bps / 1e6));

function rates({ down, up }: LinkProfile): string {
  return `${mbit(down.rate_bps)} / ${mbit(up.rate_bps)}`;
}

function tableLine(name: string, rate: string, rtt: string, summary: string): string {
  return `${name.padEnd(22)}${rate.padEnd(17)}${rtt.padStart(4)}  ${summary}`.trimEnd();
}

function tableLines(links: readonly ListedLink[]): string[] {
  const lines: string[] = [];
  let group: string | null = null;
  for (const { name, summary, source, link } of links) {
    if (source !== group) {
      if (group !== null) lines.push("");
      lines.push(tableLine(`${source}`, "", "", ""));
      group = source;
    }
    lines.push(tableLine(`  ${name}`, rates(link), String(link.rtt_ms), summary));
  }
  return lines;
}

function print(links: readonly [ListedLink, ...ListedLink[]], { json, link }: LinksOptions): void {
  if (json) {
    const printed: Links = { schema: "trilane/links/1", links: [...links] };
    printJson(printed);
    return;
  }
  if (link !== undefined) {
    const [{ name, form, link: profile, source }] = links;
    const called = name === null ? "" : `${name}${source === null ? "" : ` (${source})`}: `;
    printLines([`${called}${linkSentence(profile)}`, form]);
    return;
  }
  const lines = [
    tableLine("", "Mbit/s down / up", " RTT", ""),
    ...tableLines(links),
    "",
    "`trilane links NAME` shows all of one. Settings may follow a name and change it:",
    "trilane race PAGE --link 3g,loss=1%",
  ];
  printLines(lines);
}

export const command: Command<LinksOptions> = {
  usage: "links [link]",
  summary: "List the links that have a name, or explain one link",
  define,
  run: async (options) => {
    if (options.link !== undefined) return print([listedForm(options.link)], options);
    const [first, ...rest] = allNamed();
    if (first) print([first, ...rest], options);
  },
};
