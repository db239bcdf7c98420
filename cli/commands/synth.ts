// `trilane synth`: puts synthetic pages into the archive, or lists what there is. What they are stands in cli/recording/synth.
import type { CatalogueLine, SynthCatalogue } from "../../schemas/generated/synth_catalogue.ts";
import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { count, formatSize } from "../base/numbers.ts";
import { flag, number } from "../base/option.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import type { Recording } from "../recording/archive/archive.ts";
import { withArchive } from "../recording/archive/client.ts";
import { importedDocument } from "../recording/import/imported.ts";
import { catalogue } from "../recording/synth/catalogue.ts";
import { ensureSynth, synthetic } from "../recording/synth/synthetic.ts";
import { videoForm } from "../recording/synth/video/video_spec.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .positional("pages", { array: true, describe: "names; see --list" })
    .option("list", flag("list the pages there are"))
    .option(
      "hosts",
      number(
        { least: 1, most: 100, whole: true },
        { describe: "spread the objects over N hosts (same as NAME-hosts-N)" },
      ),
    )
    .example("trilane synth --list", "what there is")
    .example("trilane synth carlucci-small object-1MB", "make two pages")
    .example("trilane synth video-60s-500k-1500k-3000k", "a video of 60 s that adapts to the link (dash.js)")
    .example("trilane synth video-30s-by-1s-2000k.1280x720.50", "one representation: size, frames per second, segments")
    .example("trilane synth video-60s-500k-1500k-audio-64k-fixed-1500k", "several, one of them pinned")
    .example("trilane synth carlucci-medium --hosts 4", "the same objects on four hosts");

type SynthOptions = OptionsOf<typeof define>;

function printCatalogue(pages: CatalogueLine[], json: boolean): void {
  if (json) {
    const printed: SynthCatalogue = { schema: "trilane/synth-catalogue/1", pages };
    printJson(printed);
    return;
  }
  const line = (name: string, size: string, summary: string) => `${name.padEnd(24)}${size.padStart(8)}  ${summary}`;
  printLines([
    ...pages.map(({ name, summary, object_bytes }) => line(name, formatSize(object_bytes), summary)),
    line("object-SIZE", "SIZE", "1 HTML document of that size, e.g. object-1MB"),
    line("video-...", "", `a video: ${videoForm}`),
    "Each name but a video's also with -hosts-N: its objects in turn on N hosts.",
  ]);
}

function printRecording({ name, url, exchanges, hosts, body_bytes }: Recording): void {
  const content = `${count(exchanges, "request")}, ${count(hosts, "host")}, ${formatSize(body_bytes)}`;
  printLines([`${name}: ${content}, ${url}`]);
}

export const command: Command<SynthOptions> = {
  usage: "synth [pages..]",
  summary: "Put synthetic pages into the archive",
  define,
  async run({ pages, list, hosts, home, json }) {
    if (list) return printCatalogue(catalogue(), json);
    if (pages.length === 0) throw new UserError("synth: name a page; `trilane synth --list` shows them");
    const names = pages.map((page) => (hosts === undefined || hosts === 1 ? page : `${page}-hosts-${hosts}`));
    // A misspelt second name is found before the first page is written.
    for (const name of names) synthetic(name);
    const recordings = await withArchive(homeFolder(home), async (archive) => {
      const made: Recording[] = [];
      for (const name of names) made.push(await ensureSynth(archive, name));
      return made;
    });
    if (json) printJson(importedDocument(recordings));
    else for (const recording of recordings) printRecording(recording);
  },
};
