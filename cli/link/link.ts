// What links mean: their profiles, canonical forms and names, as trilane-shaper says them. The language of links
// (3mbit/50ms,loss=1%) is read and written there alone, in shaper/language/link_profile.c and shaper/language/link_write.c.
// Starts it once for many links, and asks nothing twice. Reads none of the files that a form names: files.ts does.

import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import type { LinkDirection, LinkProfile, LinkQueue } from "../../schemas/generated/link_profile.ts";
import { passDebugLines } from "../base/debug.ts";
import { UserError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import { programPath } from "../base/programs.ts";
import { mapFiles } from "./files.ts";

// What a link is to the shaper, whatever it is called: two profiles with one key shape packets alike. Reads nothing.

/** What a queue of so many BDP holds: an initial window of full packets at least (shaper/language/link_profile.c). */
export function bdpQueue_bytes(bdp: number, rate_bps: number, rtt_ms: number): number {
  return Math.max(10 * 1500, (bdp * rate_bps * rtt_ms) / 8000);
}

function queueOf({ rate_bps, rate_steps, trace, queue }: LinkDirection, rtt_ms: number): LinkQueue {
  if (!("bdp" in queue) || rate_bps === null || rate_steps || trace) return queue;
  return { bytes: Math.round(bdpQueue_bytes(queue.bdp, rate_bps, rtt_ms)) };
}

/** Without chance a seed decides nothing. */
function isRandom({ loss, loss_model, jitter, duplicate, reorder, onoff, aqm }: LinkDirection): boolean {
  return loss > 0 || [loss_model, jitter, duplicate, reorder, onoff, aqm].some((part) => part !== undefined);
}

/** Of a settled profile (files.ts): files count by what is in them. */
export function shaperKey(profile: LinkProfile): string {
  const mapped = mapFiles(profile, (file) => ({ ...file, file: file.sha256 ?? file.file }));
  const { seed, rebind, switch: next, udp } = mapped;
  const links = [mapped, ...(next ? [next.link] : [])];
  const ways = links.flatMap(({ down, up, rtt_ms }) =>
    [down, up].map((way) => ({ ...way, queue: queueOf(way, rtt_ms) })),
  );
  const [one, other, ...further] = ways;
  // Of a link that stays as it is the key is as it was before links could move.
  const moves = rebind || next ? [rebind ?? null, next ? [next.at_ms, ...further] : null] : [];
  const beside = udp ? [udp] : [];
  return JSON.stringify([one, other, ways.some(isRandom) ? seed : null, ...beside, ...moves]);
}

// How a link's path moves while it runs: NAT rebindings, and the switch to another link. Pure.

/** The link as it is at its start and stays: what a self-test can measure. */
export function withoutMoves({ rebind, switch: other, ...link }: LinkProfile): LinkProfile {
  return link;
}

/** Every link of a run, one after the other: the first, and the one it switches to. */
export function linksInTurn(profile: LinkProfile): [LinkProfile, ...LinkProfile[]] {
  const first = withoutMoves(profile);
  return profile.switch ? [first, { ...profile.switch.link, seed: profile.seed }] : [first];
}

// What of a link's profile verdicts and bounds speak of: rate, round trip and loss towards the browser. Pure.

/** What of a link a verdict may speak about. */
export interface LinkTraits {
  readonly rate_bps: number | null;
  readonly rtt_ms: number;
  readonly loss: number;
}

/** At the start, where they vary. */
export function traitsOf({ down, rtt_ms }: LinkProfile): LinkTraits {
  return { rate_bps: down.rate_bps, rtt_ms, loss: down.loss };
}

/** By the links' labels. */
export function traitsByLink(
  cells: readonly { readonly link: string; readonly link_profile: LinkProfile }[],
): Map<string, LinkTraits> {
  return new Map(cells.map(({ link, link_profile }) => [link, traitsOf(link_profile)]));
}

export type { LinkDirection, LinkProfile, LinkQueue };

export const defaultSeed = 1;

export interface Link {
  readonly profile: LinkProfile;
  /** The canonical short form: the shortest that means this profile. */
  readonly form: string;
  /** The same with the names of files, not their paths. */
  readonly label: string;
  /** The first of the known links that is just this one. */
  readonly name: string | null;
  /** Of a form with a rate or a trace, and no delay: the form with 50 ms, and with none. */
  readonly undelayed?: readonly [string, string];
}

interface NamedLink {
  readonly name: string;
  readonly form: string;
  readonly summary: string;
  /** Who published the figures; "Round figures": Trilane's own, of the size that people meet. */
  readonly source: string;
}

/** A form, or a profile. `files`: its files are read, for the rate and the loss that they come to. */
type Question = ({ form: string } | { profile: LinkProfile }) & { files?: true };

/** The error of a link, on one line whatever was written. */
export function refuse(message: string): UserError {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
  return new UserError(`link: ${message.replaceAll(/[\u0000-\u001f\u007f]/g, "?")}`);
}

/** By the question's line, and by those that it answers besides. A file counts by its sum, which is in the profile. */
const answers = new Map<string, string>();

/** Half a character, which no terminal and no file can hold, is no JSON to others. */
function lineOf(question: object): string {
  const line = JSON.stringify(question);
  if (!/\\ud[89a-f]/.test(line)) return line;
  return JSON.stringify(question, (_, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value));
}

/** An answer says the same of its profile and of its form as they would if they were given. */
function remember(line: string, answer: string): void {
  answers.set(line, answer);
  const { form, name, label, profile } = JSON.parse(answer) as Partial<Link>;
  // What a file comes to is said only of the file as it was.
  if (!form || !profile || (JSON.parse(line) as Question).files) return;
  const implied = JSON.stringify({ form, name, label, profile });
  for (const other of [lineOf({ form }), lineOf({ profile })]) if (!answers.has(other)) answers.set(other, implied);
}

/** Why there are no answers. Only a program that is missing, or does not know the question, is set up again. */
function noAnswers({ status, signal, stderr, error }: SpawnSyncReturns<string>): UserError {
  const isStale = error ? (error as NodeJS.ErrnoException).code === "ENOENT" : status === 0 || status === 2;
  const said =
    passDebugLines(stderr ?? "")
      .trim()
      .replace(/^trilane-shaper: /, "") || `${status === 0 ? "wrong answers" : `status ${status}`}`;
  const why = signal ? `ended by ${signal}` : (error?.message ?? said);
  return new UserError(`trilane-shaper --links: ${why}: run ${isStale ? "`npm run setup`" : "the command"} again`);
}

function answersTo(questions: readonly object[]): unknown[] {
  const lines = questions.map(lineOf);
  const open = [...new Set(lines)].filter((line) => !answers.has(line));
  if (open.length > 0) {
    const input = open.map((line) => `${line}\n`).join("");
    const ended = spawnSync(programPath("trilane-shaper"), ["--links"], {
      input,
      encoding: "utf8",
      maxBuffer: Number.POSITIVE_INFINITY,
    });
    const said = ended.stdout?.split("\n") ?? [];
    if (ended.error || ended.status !== 0 || said.length !== open.length + 1) throw noAnswers(ended);
    open.forEach((line, index) => {
      remember(line, said[index] ?? "");
    });
  }
  return lines.map((line) => JSON.parse(answers.get(line) ?? ""));
}

/** A name or a setting that is not known, and one that is near it: what was probably meant, in place of all there are. */
function withMeant(error: string, question: Question | undefined): string {
  const [, unknown = "", form = "", all = ""] =
    /no setting "([^"]*)" \(in "(.*)"\): there are (.*), and most/.exec(error) ?? [];
  const setting = unknown === "" ? null : nearest(unknown, all.split(", "));
  if (setting !== null) return `link: no setting "${unknown}" (in "${form}"): did you mean ${setting}?`;
  const [name = ""] = question && "form" in question ? question.form.split(",") : [];
  if (!/no unit of rate|no link is called/.test(error) || name.includes("/")) return error;
  const names = namedLinks().map((link) => link.name);
  const meant = names.filter((known) => known.split("-").includes(name.toLowerCase()));
  const near = meant.length > 0 ? meant.join(" or ") : nearest(name, names);
  return near === null ? error : `link: no link "${name}": did you mean ${near}?`;
}

function askLinks(questions: readonly Question[]): Link[] {
  return (answersTo(questions) as (Link | { error: string })[]).map((answer, index) => {
    if ("error" in answer) throw new UserError(withMeant(answer.error, questions[index]));
    return answer;
  });
}

/** Many at once cost hardly more than one. UserError where one is none. */
export function readForms(forms: readonly string[]): Link[] {
  return askLinks(forms.map((form) => ({ form })));
}

/** Of profiles that are stored or were read from a file. */
export function describeLinks(profiles: readonly LinkProfile[], { files = false } = {}): Link[] {
  return askLinks(profiles.map((profile) => ({ profile, ...(files ? { files } : {}) })));
}

/** Asks for all at once, so that each is known when it is needed; what is wrong with one is said then. */
export function askAhead(links: readonly (string | LinkProfile)[]): void {
  answersTo(links.map((link) => (typeof link === "string" ? { form: link } : { profile: link })));
}

/** Of one. */
export function describeLink(profile: LinkProfile): Link {
  const [link] = describeLinks([profile]);
  if (!link) throw new Error("unreachable: each question has an answer");
  return link;
}

/** A profile from its short form. UserError where it is not one. */
export function parseLink(form: string): LinkProfile {
  const [link] = readForms([form]);
  if (!link) throw new Error("unreachable: each question has an answer");
  return link.profile;
}

/** The canonical short form. */
export function formatLink(profile: LinkProfile): string {
  return describeLink(profile).form;
}

/** The links that have a name. */
export function namedLinks(): NamedLink[] {
  const [answer] = answersTo([{ named: true }]) as { links: NamedLink[] }[];
  return answer?.links ?? [];
}

/** UserError where a link of the command line has a rate or a trace and nothing says its delay: 0 ms is rarely what was meant. */
export function refuseWithoutDelay(form: string): void {
  const [link] = readForms([form]);
  if (!link?.undelayed) return;
  const [given, none] = link.undelayed;
  throw new UserError(`--link ${form}: says no round-trip time: write ${given}, or ${none} for none`);
}
