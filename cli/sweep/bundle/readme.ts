// README.md of a bundle: what lies in it, for a reader who has neither Trilane nor this repository. Pure.
import type { Bundle } from "../../../schemas/generated/bundle.ts";
import { browserInWords } from "../../base/browser_words.ts";
import { count } from "../../base/numbers.ts";
import type { BundledSweeps } from "./bundled_sweeps.ts";
import { limitsInWords } from "./layout.ts";
import { maskedSentence } from "./words.ts";

/** What a cell of a Markdown table or a line may hold of what is somebody else's. */
const plain = (text: string): string => text.replaceAll(/[|`\\<>\r\n]/g, " ");

function browserLine({ version, sha256, loads }: Bundle["browsers"][number]): string {
  return `- ${plain(browserInWords(version))}, ${count(loads, "load")}${sha256 === null ? "" : `, SHA-256 of its program ${sha256}`}`;
}

function machineLine({
  loads,
  cpu,
  cpus,
  memory_bytes,
  kernel,
  architecture,
  versions,
}: Bundle["ran_on"][number]): string {
  const listed = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const memory = `${Math.round(memory_bytes / 1e9)} GB`;
  return `- ${count(loads, "load")}: ${plain(`${cpu}, ${count(cpus, "CPU")}, ${memory}, Linux ${kernel} ${architecture}; ${listed.join(", ")}`)}`;
}

export function readmeText(
  bundle: Omit<Bundle, "members">,
  { nouns, title, planSchema }: Pick<BundledSweeps, "nouns" | "title" | "planSchema">,
): string {
  const {
    sweep,
    lanes,
    links,
    recordings,
    programs,
    browsers,
    ran_on,
    environment,
    credentials,
    masked: values,
    trilane,
  } = bundle;
  const included = recordings.filter((recording) => recording.included).length;
  const masked = recordings.filter(({ digest, loaded_digest }) => digest !== loaded_digest).map(({ name }) => name);
  const isOfPages = title === null;
  const what = title ?? `${count(recordings.length, "page")} over ${lanes.join(", ")}`;
  return `# ${plain(sweep.name)}

${what} on ${links.length === 0 ? "the network as it was" : count(links.length, "link")}: ${count(sweep.loads, ...nouns)}, ${sweep.valid} valid, from ${sweep.created_at} to ${sweep.finished_at ?? "now, unfinished"}. Plan ${sweep.plan_digest}, seed ${sweep.seed}.
Bundled by Trilane ${trilane} (\`trilane bundle\`).

## Use it

    trilane reproduce BUNDLE              # the report and each figure again, from results.db; no network, no browser
${isOfPages ? "    trilane reproduce BUNDLE --rerun      # also the loads, on this machine, and what differs\n" : ""}
\`report.html\` needs nothing but a browser. Everything else is SQLite, JSON, CSV, SVG, and bodies as they were on the wire.

## What lies in it

| member | what it is |
|---|---|
| manifest.json | what the sweep ran with, and the size and SHA-256 of each member (schemas/bundle.schema.json) |
| plan.json | what was to be measured (schemas/${planSchema}.schema.json) |
| results.db | each ${nouns[0]}: SQLite (schemas/results.sql${isOfPages ? "; documents named page-load, its requests and timings, are gzipped JSON" : ""}) |
| report.html, loads.csv, figures/ | made from results.db alone |
| recordings/, bodies/ | ${!isOfPages ? "none" : included === recordings.length ? "the pages" : included === 0 ? "left out" : `${included} of the ${recordings.length} pages`}: exchanges (schemas/bundled-recording.schema.json), and bodies by their SHA-256 |
| files/ | files that links name, by their SHA-256 |
| schemas/ | the formats |

The members are regular files without owners, at the beginning of 1970; ${limitsInWords}.
${
  credentials === "masked"
    ? "Credentials are masked, length kept: cookies, authorization, and what is secret by its name. Personal data in bodies and paths stay."
    : "Credentials are kept as they were."
}${masked.length > 0 ? `\nThat changed these recordings, so their digests are not those that were loaded (loaded_digest): ${plain(masked.join(", "))}.` : ""}${values ? `\n${maskedSentence(values)}.` : ""}

## What it ran on

${
  [...browsers.map(browserLine), ...ran_on.map(machineLine)].join("\n") ||
  Object.entries(environment)
    .map(([name, value]) => `- ${plain(`${name}: ${value}`)}`)
    .join("\n")
}

${programs.length === 0 ? "Digests of Trilane's programs were not noted." : `Trilane's programs, SHA-256:\n\n${programs.map(({ name, sha256 }) => `- ${plain(name)}: ${sha256}`).join("\n")}`}
`;
}
