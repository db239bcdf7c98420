// `trilane browser-wrapper`: prints a script that starts the browser alone behind a link, for test programs that take a browser's
// path. Starts no browser.
import { fchmodSync, fstatSync } from "node:fs";
import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { browserProgram, chromiumPath } from "../base/programs.ts";
import { printLines, say } from "../base/terminal_text.ts";
import { formatLink } from "../link/link.ts";
import { readGivenLink } from "../link/profile_file.ts";
import { spkiList } from "../load/lab.ts";
import { browserWrapper, networksThen } from "../load/reach/browser_wrapper.ts";
import { defineReach, reachChoiceOf, reachHere, silentServer, wantedOf } from "../load/reach/wanted.ts";
import { withArchive } from "../recording/archive/client.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .with(defineReach)
    .usage("trilane browser-wrapper --link LINK [--recording NAME | --reach HOST:PORT | --outside] > FILE")
    .option("link", { demandOption: true, describe: "as slow-4g, 3mbit/50ms or 3g,loss=1%; see `trilane links`" })
    .option("browser", {
      placeholder: "PATH",
      describe: "the browser that it starts; otherwise the one that Trilane measures with",
    })
    .example(
      "trilane browser-wrapper --link slow-4g --reach localhost:3000 > shaped-chromium",
      "then executablePath: './shaped-chromium' in Playwright or puppeteer",
    )
    .example("CHROME_PATH=$PWD/shaped-chromium npx lighthouse http://localhost:3000/", "Lighthouse through the link")
    .epilogue(
      "The test program stays outside; pipes (descriptors 3 and 4) and --remote-debugging-port get through. Each browser has a " +
        "link of its own. The file becomes executable.",
    );

type WrapperOptions = OptionsOf<typeof define>;

const executable = 0o755;

/** `> shaped-chromium` is then a program. */
function makeExecutable(fd: number): void {
  if (fstatSync(fd).isFile()) fchmodSync(fd, executable);
}

export const command: Command<WrapperOptions> = {
  usage: "browser-wrapper",
  summary: "Print a script that starts the browser alone behind a link, for tests",
  define,
  run: async (options) => {
    if (options.json) throw new UserError("browser-wrapper: prints a script: leave --json out");
    const home = homeFolder(options.home);
    const link = readGivenLink(options.link, process.cwd());
    const choice = reachChoiceOf(options);
    const browser = options.browser === undefined ? chromiumPath() : browserProgram(options.browser);
    const recording = choice.kind === "recording" ? choice.name : null;
    const exchanges =
      recording === null ? [] : (await withArchive(home, (archive) => archive.show(recording))).exchanges;
    const wanted = await wantedOf(choice, exchanges);
    const reached = reachHere(
      wanted.kind === "outside" && wanted.refused ? { kind: "outside", refused: { own: networksThen } } : wanted,
    );
    const spkis = recording === null ? null : await spkiList(home);
    const script = browserWrapper({ home, link, recording, reached, spkis, browser });
    printLines(script.trimEnd().split("\n"));
    makeExecutable(process.stdout.fd);
    const silent = await silentServer(wanted);
    const note = silent === null ? "" : `; nothing listens at ${silent} yet`;
    say(`trilane browser-wrapper: ${formatLink(link)}; at the other end: ${reached.sentence}${note}`);
  },
};
