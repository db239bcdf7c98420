// A browser alone behind a link, as a script to be named wherever a test program takes a browser's path (executablePath,
// CHROME_PATH, Selenium's binary). It starts the lab around the browser without Node, so that it costs milliseconds. Writes text
// only; the words of the lab are checked when it is made, and files that a link names when it runs.
import { basename } from "node:path";
import { programPath } from "../../base/programs.ts";
import { shellWord } from "../../base/shell_word.ts";
import { formatLink, type LinkProfile } from "../../link/link.ts";
import { labCommand } from "../lab.ts";
import type { Reach } from "./reach.ts";

interface WrappedBrowser {
  readonly home: string;
  readonly link: LinkProfile;
  /** null: none is served. */
  readonly recording: string | null;
  readonly reached: Reach;
  /** The keys of the recording's origins, as trilane-replay prints them; null: none is served. */
  readonly spkis: string | null;
  /** The absolute path. */
  readonly browser: string;
  readonly shaperOptions?: readonly string[];
}

/** Words that the script works out when it runs: what stands for one here, and the shell's text for it. */
type Computed = ReadonlyMap<string, string>;

/** Stands for this machine's networks as they are when the script runs. */
export const networksThen = "@networks@";

const isFirefox = (browser: string): boolean => basename(browser).startsWith("firefox");

/** `TRILANE_LAB` is that of a lab around: this one is its own. */
const unset = "unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY TRILANE_LAB TRILANE_DEBUGGING";

export function browserWrapper(wrapped: WrappedBrowser, computed: Computed = new Map()): string {
  const { home, link, recording, reached, spkis, browser } = wrapped;
  const guard = programPath("trilane-guard");
  const shaperOptions = [...reached.shaperOptions, ...(wrapped.shaperOptions ?? [])];
  const lab = labCommand({ home, recording, far: reached.far, link, reports: null, shaperOptions });
  const trusted = spkis === null || isFirefox(browser) ? [] : [`--ignore-certificate-errors-spki-list=${spkis}`];
  const words = [
    ...[guard, "--debugging", "--"],
    ...[...lab.replay, ...lab.shaper],
    ...[guard, "--inside", "--", browser, ...trusted],
  ];
  const known = new Map([...computed, [networksThen, `"$(${shellWord(guard)} --networks)"`]]);
  const line = words.map((word) => known.get(word) ?? shellWord(word)).join(" ");
  return `#!/bin/sh
# ${basename(browser)} alone behind ${formatLink(link).replaceAll("\n", " ")}; at the other end: ${reached.sentence}.
# By \`trilane browser-wrapper\`. Arguments, descriptors 3 and 4 and --remote-debugging-port reach the browser.
${unset}
exec ${line} "$@"
`;
}
