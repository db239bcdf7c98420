// How much of the source each command needs, and how long the rooms are: what somebody who is to own a part has to read. Counts files and
// lines; runs nothing of the product. Prints the tree of rooms with their lines, and each room's part in the reach of commands; `--only
// reach`, `lines` or `paragraphs` prints one part with its whole list. --json has the lists of files behind the numbers.
import { dirname } from "node:path";
import { UserError } from "../../cli/base/errors.ts";
import { checkout } from "../../cli/base/programs.ts";
import { textTable } from "../../cli/base/text_table.ts";
import {
  importsOf,
  linesOf,
  paragraphs,
  reachOf,
  type SourceFile,
  sourceFiles,
  statedImport,
  typescriptImport,
} from "../source_tree.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";

const product = ["cli", "extension", "native-host", "shaper"];

/** Bars: files and lines of cli in a command's reach. */
const commands = [
  { name: "race", files: 300, lines: 28_000 },
  { name: "flows", files: 300, lines: 28_000 },
  { name: "fetch", files: null, lines: null },
  { name: "video", files: null, lines: null },
  { name: "sweep", files: null, lines: null },
] as const;

const productLines = 115_000;
const testLines = 85_000;
const paragraphLines = 30;
const mostParagraphs = 5;

/** `cli/report`; `native-host/replay`; files beside the rooms belong to the folder itself. */
const roomOf = ({ path }: SourceFile): string => {
  const folders = dirname(path).split("/");
  return folders.slice(0, 2).join("/");
};

function rooms(files: readonly SourceFile[]) {
  return [...Map.groupBy(files, roomOf)].map(([room, its]) => ({ room, files: its.length, lines: linesOf(its) }));
}

/** The rooms' rows, under a row of each part of the product (`cli`) that has more than one. */
function tree(files: readonly SourceFile[]): (string | number)[][] {
  return [...Map.groupBy(files, ({ path }) => path.split("/")[0] ?? "")].flatMap(([part, its]) => {
    const rows = rooms(its).map(({ room, files: number, lines }) => [`  ${room}`, number, lines]);
    return [[part, its.length, linesOf(its)], ...rows];
  });
}

const one = (name: string, value: number, bar: number | null, unit: Measurement["unit"]): Measurement =>
  measurement(name, [value], bar, { unit });

export const bench: Bench = async (say, only) => {
  const files = sourceFiles(checkout, product);
  const tests = sourceFiles(checkout, ["test"]);
  const imports = importsOf(checkout, "{cli,extension}/**/*.ts", typescriptImport, (file) => [dirname(file)]);
  const ofCli = files.filter(({ path }) => path.startsWith("cli/") && path.endsWith(".ts"));
  const reaches = commands.map((command) => {
    const reached = reachOf(`cli/commands/${command.name}.ts`, imports);
    return { ...command, reached: ofCli.filter(({ path }) => reached.has(path)) };
  });
  // What is only loaded when it is needed is a door, and cannot be its importer's.
  const stated = new Set(
    importsOf(checkout, "{cli,extension}/**/*.ts", statedImport, (file) => [dirname(file)]).map(({ to }) => to),
  );
  const short = paragraphs(files, imports, paragraphLines).filter(({ path }) => stated.has(path));
  const byRoom = { product: rooms(files), test: rooms(tests) };
  const parts = {
    reach: reaches.flatMap(({ name, reached, ...bars }) => [
      one(`${name}: cli files in reach, of ${ofCli.length}`, reached.length, bars.files, "files"),
      one(`${name}: their lines`, linesOf(reached), bars.lines, "lines"),
    ]),
    lines: [
      one("product, generated left out", linesOf(files), productLines, "lines"),
      ...product.map((folder) =>
        one(folder, linesOf(files.filter(({ path }) => path.startsWith(`${folder}/`))), null, "lines"),
      ),
      one("tests", linesOf(tests), testLines, "lines"),
    ],
    paragraphs: [
      one(`TypeScript under ${paragraphLines} lines with one importer`, short.length, mostParagraphs, "files"),
    ],
  };
  const sayTable = (rows: readonly (readonly (string | number)[])[]): void => {
    for (const line of textTable(rows.map((row) => row.map(String)))) say(line);
    say("");
  };
  if (only === "" || only === "lines") {
    sayTable([["product", "files", "lines"], ...tree(files)]);
    if (only !== "") sayTable([["test", "files", "lines"], ...tree(tests)]);
  }
  if (only === "" || only === "reach")
    for (const { name, reached, files: bar } of reaches)
      if (only !== "" || bar !== null) sayTable([[`in reach of ${name}`, "files", "lines"], ...tree(reached)]);
  if (only === "paragraphs") for (const { path, lines, importer } of short) say(`${path} (${lines}): only ${importer}`);
  const wanted = Object.entries(parts).filter(([part]) => only === "" || part === only);
  if (wanted.length === 0) throw new UserError(`house has no part ${only}: use ${Object.keys(parts).join(", ")}`);
  const reachLists = Object.fromEntries(reaches.map(({ name, reached }) => [name, reached.map(({ path }) => path)]));
  return {
    measurements: wanted.flatMap(([, measurements]) => measurements),
    details: { rooms: byRoom, reach: reachLists, paragraphs: short },
  };
};
