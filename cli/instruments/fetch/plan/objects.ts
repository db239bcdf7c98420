// The objects that the words of `trilane fetch` name: URLs, files of URLs, one a line, and HARs. Reads files; asks no server.
import { existsSync } from "node:fs";
import { UserError } from "../../../base/errors.ts";
import { count } from "../../../base/numbers.ts";
import { insteadOfPage } from "../../../recording/import/find_page.ts";
import { type HarFile, readHarFile } from "../../../recording/import/har.ts";
import { inputName, readHarOrText } from "../../../recording/import/read.ts";

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

/** As a server is requested for it: without its fragment. UserError naming `where`. */
function objectUrl(text: string, where: string): string {
  const url = URL.parse(text);
  const shown = shownUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(text))
    throw new UserError(`${where}${shown} is no URL: write it as https://shop.example/`);
  if (url.protocol !== "https:")
    throw new UserError(`${where}${shown} is not https, the only scheme that every lane has: write https://`);
  if (url.username !== "" || url.password !== "")
    throw new UserError(`${where}${shown} has a user name in it, which is not sent: take it out`);
  url.hash = "";
  refuseLongUrl(url.href, where);
  return url.href;
}

function ofHar(json: unknown, path: string): NamedObjects {
  let har: HarFile;
  try {
    har = readHarFile(json);
  } catch (error) {
    throw error instanceof UserError ? new UserError(`${path}: ${error.message}`) : error;
  }
  const gets = har.entries.filter(
    ({ method, url }) => method === "GET" && url.protocol === "https:" && !isLongUrl(url.href),
  );
  const total = har.entries.length + har.faulty.length;
  if (gets.length === 0)
    throw new UserError(`${path}: has no GET over https, which alone is fetched: it has ${insteadOfPage(har).words}`);
  const rest = total - gets.length;
  return {
    urls: gets.map(({ url }) => objectUrl(url.href, `${path}: `)),
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

async function objectsIn(word: string): Promise<NamedObjects> {
  if (isUrl(word)) return { urls: [objectUrl(word, "")], left: [] };
  if (word !== "-" && !existsSync(word))
    throw new UserError(`${word}: there is no such file: name a URL (https://...), a file of URLs or a HAR`);
  const { json, text } = await readHarOrText(word);
  return text === null ? ofHar(json, inputName(word)) : ofLines(text, inputName(word));
}

/** `-`: standard input. UserError for a word that is none of them, and for a line that is no URL. */
export async function namedObjects(words: readonly string[]): Promise<NamedObjects> {
  const named: NamedObjects[] = [];
  for (const word of words) named.push(await objectsIn(word));
  return { urls: [...new Set(named.flatMap(({ urls }) => urls))], left: named.flatMap(({ left }) => left) };
}

/** With its port. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? url;
