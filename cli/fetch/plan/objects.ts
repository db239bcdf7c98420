// The objects that the words of `trilane fetch` name: URLs, files of URLs, one a line, and HARs. Reads files; asks no server.
import { existsSync } from "node:fs";
import { UserError } from "../../base/errors.ts";
import { count } from "../../base/numbers.ts";
import { inputName, readTextFile } from "../../recording/import/read.ts";

/** What was named, and what of it is not fetched. */
export interface NamedObjects {
  /** Each once, in the order in which they are named. */
  readonly urls: readonly string[];
  /** Lines for people. */
  readonly left: readonly string[];
}

/** Of a URL: what trilane-fetch takes (URL_MAX); and Linux starts no program with a word of 128 KiB. */
const mostUrl_bytes = 65_536;

export const isLongUrl = (url: string): boolean => Buffer.byteLength(url) > mostUrl_bytes;

const shownUrl = (url: string): string => JSON.stringify(url.length > 200 ? `${url.slice(0, 200)}...` : url);

/** UserError naming `where`. */
export function refuseLongUrl(url: string, where: string): void {
  if (isLongUrl(url))
    throw new UserError(`${where}${shownUrl(url)} has more than ${mostUrl_bytes} bytes: shorten it, or leave it out`);
}

const isUrl = (word: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(word);

/** As a server is asked for it: without its fragment. UserError naming `where`. */
function objectUrl(text: string, where: string): string {
  const url = URL.parse(text);
  const shown = shownUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(text))
    throw new UserError(`${where}${shown} is no URL: write it as https://shop.example/`);
  if (url.protocol !== "https:")
    throw new UserError(`${where}${shown} is not https, which alone all lanes have: write https://, or leave it out`);
  if (url.username !== "" || url.password !== "")
    throw new UserError(`${where}${shown} has a user name in it, which is not sent: take it out`);
  url.hash = "";
  refuseLongUrl(url.href, where);
  return url.href;
}

interface HarEntry {
  readonly request?: { readonly method?: unknown; readonly url?: unknown } | null;
}

/** The entries of a HAR, whatever stands among them; null: the text is none. */
function harEntries(text: string): readonly (HarEntry | null)[] | null {
  if (!/^\s*\{/.test(text)) return null;
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return null;
  }
  const entries = (document as { readonly log?: { readonly entries?: unknown } } | null)?.log?.entries;
  return Array.isArray(entries) ? (entries as (HarEntry | null)[]) : null;
}

function ofHar(entries: readonly (HarEntry | null)[], path: string): NamedObjects {
  const requests = entries.flatMap((entry) => {
    const request = entry?.request;
    return typeof request?.url === "string" ? [{ method: request.method, url: request.url }] : [];
  });
  const gets = requests.filter(({ method, url }) => method === "GET" && /^https:\/\//i.test(url));
  const rest = entries.length - gets.length;
  return {
    urls: gets.map(({ url }) => objectUrl(url, `${path}: `)),
    left: rest === 0 ? [] : [`${path}: ${count(rest, "request")} not GET over https, not fetched`],
  };
}

function ofLines(text: string, path: string): NamedObjects {
  const urls = text.split("\n").flatMap((line, index) => {
    const word = line.trim();
    return word === "" || word.startsWith("#") ? [] : [objectUrl(word, `${path}:${index + 1}: `)];
  });
  return { urls, left: [] };
}

async function readText(path: string): Promise<string> {
  if (path !== "-" && !existsSync(path))
    throw new UserError(`${path}: there is no such file: name a URL (https://...), a file of URLs or a HAR`);
  return await readTextFile(path);
}

async function objectsIn(word: string): Promise<NamedObjects> {
  if (isUrl(word)) return { urls: [objectUrl(word, "")], left: [] };
  const text = await readText(word);
  const entries = harEntries(text);
  return entries ? ofHar(entries, inputName(word)) : ofLines(text, inputName(word));
}

/** `-`: standard input. UserError for a word that is none of them, and for a line that is no URL. */
export async function namedObjects(words: readonly string[]): Promise<NamedObjects> {
  const named: NamedObjects[] = [];
  for (const word of words) named.push(await objectsIn(word));
  return { urls: [...new Set(named.flatMap(({ urls }) => urls))], left: named.flatMap(({ left }) => left) };
}

/** With its port. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? url;
