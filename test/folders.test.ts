// Which folder may import which. Holds that no two folders need each other, by whatever way round; and that files named in prose are there.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { checkout } from "../cli/base/programs.ts";
import { type Import, importsOf, reachOf, typescriptImport } from "./source_tree.ts";

/** What an instrument stands on; never another instrument. */
const instrumentRooms = [
  "cli/base",
  "cli/engine",
  "cli/registry",
  "cli/link",
  "cli/browser",
  "cli/recording",
  "cli/load",
  "cli/results",
  "cli/report",
  "cli/sweep",
  "extension/figures",
  "extension/har",
];

const instruments = globSync("cli/instruments/*/plan_kind.ts", { cwd: checkout }).map((path) => dirname(path));

/** Rooms of TypeScript, the ground floor first: what each may import beside itself. A room's subfolders belong to it. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  "cli/base": [],
  extension: [],
  "extension/capture": ["extension"],
  "extension/figures": ["cli/base"],
  "extension/har": ["extension", "extension/capture"],
  "extension/history": ["extension", "extension/har"],
  "extension/views": [
    "cli/base",
    "extension",
    "extension/capture",
    "extension/figures",
    "extension/har",
    "extension/history",
  ],
  "extension/background": ["cli/base", "extension", "extension/capture", "extension/har", "extension/history"],
  "cli/registry": ["cli/base", "extension/capture"],
  "cli/link": ["cli/base", "cli/registry"],
  "cli/instruments/flows/records": ["cli/base", "cli/link"],
  "cli/browser": ["cli/base", "extension/capture"],
  "cli/recording": ["cli/base", "cli/link", "cli/browser", "extension/capture", "extension/har"],
  "cli/load": ["cli/base", "cli/link", "cli/browser", "cli/recording", "extension/capture"],
  "cli/results": [
    "cli/base",
    "cli/registry",
    "cli/link",
    "cli/recording",
    "cli/load",
    "extension/capture",
    "extension/har",
  ],
  "cli/report": [
    "cli/base",
    "cli/registry",
    "cli/link",
    "cli/browser",
    "cli/load",
    "cli/results",
    "extension/capture",
    "extension/figures",
    "extension/har",
  ],
  "cli/sweep": ["cli/base", "cli/link", "cli/browser", "cli/recording", "cli/load", "cli/results", "cli/report"],
  "cli/pages": [
    "cli/base",
    "cli/browser",
    "cli/load",
    "cli/recording",
    "cli/results",
    "cli/sweep",
    "extension/capture",
  ],
  "cli/engine": ["cli/base", "cli/link", "cli/load", "cli/results", "cli/report", "cli/sweep"],
  ...Object.fromEntries(instruments.map((room) => [room, instrumentRooms])),
  "cli/instruments/flows": [...instrumentRooms, "cli/instruments/flows/records"],
  "cli/instruments": [...["cli/base", "cli/engine", "cli/results", "cli/sweep"], ...instruments],
  "cli/install": ["cli/base", "cli/browser", "cli/recording", "cli/results"],
  "cli/api": ["cli/base", "cli/link", "cli/load", "cli/recording"],
  "cli/commands": [
    "cli/pages",
    ...instruments,
    "cli/instruments",
    "cli/base",
    "cli/engine",
    "cli/registry",
    "cli/link",
    "cli/recording",
    "cli/load",
    "cli/results",
    "cli/report",
    "cli/sweep",
    "cli/install",
    "extension/har",
  ],
  "cli/install/packages": ["cli/base", "cli/commands", "cli/install", "cli/load"],
  cli: ["cli/base", "cli/commands", "cli/instruments", "cli/pages"],
};

const typescript = importsOf(checkout, "{cli,extension}/**/*.ts", typescriptImport, (file) => [dirname(file)]).filter(
  ({ to }) => /^(?:cli|extension)\//.test(to),
);
/** A folder of C and those in it are one: what a program's parts share lies beside its main. */
const isWithin = (folder: string, other: string): boolean => `${other}/`.startsWith(`${folder}/`);
const c = importsOf(checkout, "{native-host,shaper}/**/*.{c,h}", /#include "([^"]+)"/g, () => [
  "native-host",
  ".",
]).filter(({ from, to }) => !isWithin(dirname(from), dirname(to)) && !isWithin(dirname(to), dirname(from)));

function roomOf(path: string): string {
  for (let room = dirname(path); room !== "."; room = dirname(room)) if (Object.hasOwn(mayImport, room)) return room;
  return "no room";
}

/** Folders that lead back to themselves, with the files on the way; empty if there are none. */
function cycle(imports: readonly Import[]): string[] {
  const edges = new Map<string, Map<string, string>>();
  for (const { from, to } of imports) {
    const [here, there] = [dirname(from), dirname(to)];
    if (here === there) continue;
    const known = edges.get(here) ?? new Map<string, string>();
    edges.set(here, known.set(there, `${from} -> ${to}`));
  }
  const done = new Set<string>();
  const follow = (folder: string, way: readonly string[], steps: readonly string[]): string[] => {
    if (way.includes(folder)) return steps.slice(way.indexOf(folder));
    if (done.has(folder)) return [];
    for (const [next, step] of edges.get(folder) ?? []) {
      const found = follow(next, [...way, folder], [...steps, step]);
      if (found.length > 0) return found;
    }
    done.add(folder);
    return [];
  };
  for (const folder of edges.keys()) {
    const found = follow(folder, [], []);
    if (found.length > 0) return found;
  }
  return [];
}

test("a room imports only what the list allows", () => {
  const others = typescript.filter(({ from, to }) => {
    const [here, there] = [roomOf(from), roomOf(to)];
    return here !== there && !mayImport[here]?.includes(there);
  });
  assert.deepEqual(
    others.map(({ from, to }) => `${from} -> ${to}`),
    [],
  );
});

test("the list itself has a room import only rooms above it, or none of it could be kept", () => {
  const rooms = Object.keys(mayImport).filter((room) => !room.startsWith("extension"));
  for (const [index, room] of rooms.entries())
    for (const other of mayImport[room] ?? [])
      if (!other.startsWith("extension")) assert.ok(rooms.indexOf(other) < index, `${room} imports ${other}`);
});

test("folders of either language import one another in no cycle", () => {
  assert.ok(typescript.length > 1000 && c.length > 100, `${typescript.length} and ${c.length} imports were read`);
  assert.deepEqual(cycle(typescript), []);
  assert.deepEqual(cycle(c), []);
});

test("a cycle is found, and told by its files", () => {
  const imports = [
    { from: "a/x.ts", to: "b/y.ts" },
    { from: "b/y.ts", to: "b/c/z.ts" },
    { from: "b/c/z.ts", to: "a/w.ts" },
  ];
  assert.deepEqual(cycle(imports), ["a/x.ts -> b/y.ts", "b/y.ts -> b/c/z.ts", "b/c/z.ts -> a/w.ts"]);
  assert.deepEqual(cycle(imports.slice(0, 2)), []);
});

/** Files outside of an instrument's folder that name it: commands, of which there may be no more. Engine, results, registry, report, sweep and load name none. */
const namers: Readonly<Record<string, number>> = {
  // Four of them run page loads: race, start, video and compare.
  "cli/commands": 7,
};

test("nothing names an instrument but its own folder, the list and its commands", () => {
  const outside = typescript.filter(
    ({ from, to }) =>
      to.startsWith("cli/instruments/") && !from.startsWith("cli/instruments/") && to !== "cli/instruments/all.ts",
  );
  const found = Map.groupBy(new Map(outside.map(({ from }) => [from, roomOf(from)])), ([, room]) => room);
  const counts = Object.fromEntries([...found].map(([room, files]) => [room, files.length]).toSorted());
  assert.deepEqual(counts, namers, "lower the number of a room that names them less");
});

/** What says that a sweep is of one kind or another, or is one of its events. Whatever needs to know asks the list (PlanKind, EventWords). */
const wordsOfKinds: Readonly<Record<string, RegExp>> = {
  page: /\bkind(?:: | [!=]== )"pages"|SweepOf<"pages"|nouns\.of [!=]== "pages"|kind \?\? "pages"|"(?:load|film)-(?:started|finished)"/,
  flows:
    /\bkind(?:: | [!=]== )"flows"|FlowSweep|StoredFlowPlan|"flow-run-(?:started|finished)"|FlowRun(?:Started|Finished)/,
  fetch: /"fetches"|FetchSweep|StoredFetchPlan|"fetch-(?:started|finished)"|Fetch(?:Started|Finished)/,
  command:
    /"commands"|commandNouns|CommandSweep|StoredCommandPlan|CommandPlan\b|"command-(?:started|finished)"|Command(?:Started|Finished)/,
};
/** The one file elsewhere that does: page loads are the store's own kind, of which verdicts, answers and reports are. */
const namesPages = "cli/results/store/sweep_rows.ts";

for (const [name, words] of Object.entries(wordsOfKinds))
  test(`an instrument is a folder and a line: no other code names what ${name} is`, () => {
    const files = new Set(typescript.map(({ from }) => from).filter((file) => file.startsWith("cli/")));
    const naming = [...files].filter((file) => words.test(readFileSync(join(checkout, file), "utf8")));
    assert.ok(
      naming.some((file) => file.startsWith(`cli/instruments/${name}/`)),
      "files are read",
    );
    assert.deepEqual(
      naming.filter((file) => !file.startsWith(`cli/instruments/${name}/`)),
      name === "page" ? [namesPages] : [],
    );
  });

/** What somebody who is to own a command need not read; `bench -- house` has the bar, 300 files. A command is given pages and reports (cli/commands/command.ts). */
const notReached: Readonly<Record<string, RegExp>> = {
  race: /^cli\/(pages|report\/(?!report_files)|recording\/(import|fill|corpus\/(?!corpus_names))|instruments\/(?!page\/))/,
  flows: /^cli\/(pages|recording\/(import|fill)|report\/(?!report_files)|instruments\/(?!flows\/))/,
  // Objects are read from HAR files, too.
  fetch: /^cli\/(pages|recording\/(record\/record|fill)|report\/report\.ts|instruments\/(?!fetch\/))/,
};

for (const [command, rooms] of Object.entries(notReached))
  test(`${command} reaches few files: what makes pages and reports is not among them, nor another instrument`, () => {
    const reached = [...reachOf(`cli/commands/${command}.ts`, typescript)];
    assert.ok(reached.length > 100, "imports are read");
    assert.deepEqual(
      reached.filter((path) => rooms.test(path)),
      [],
    );
    assert.ok(reached.filter((path) => path.startsWith("cli/")).length <= 300, `${reached.length} files`);
  });

/** Of others' source: the kernel's, SQLite's, nginx's, the C library's. */
const othersFiles =
  /^(?:linux|netinet)\/|^(?:sysexits|sqlite3|proc_ns|tcp_states|ngx_http_v2)\.h$|^(?:pager|nss_database)\.c$/;

/** What of a file people read as prose: all of a README and of a schema, of code its comments. */
function proseOf(path: string): string {
  const text = readFileSync(join(checkout, path), "utf8");
  return /\.(?:md|json|sql)$/.test(path) ? text : [...text.matchAll(/(?:^|\s)(?:\/\/|\/\*\*?|\*) .*/gm)].join("\n");
}

test("comments, READMEs and schemas name files that there are", () => {
  const written = globSync(
    [
      "{cli,extension,native-host,shaper,schemas,test,docs}/**/*.{ts,c,h,js,md}",
      ...["schemas/*.{json,sql}", "{README,CONTRIBUTING,SECURITY}.md"],
    ],
    { cwd: checkout },
  );
  const names = new Set(written.flatMap((path) => [`/${path}`, `/${basename(path)}`]));
  const isThere = (name: string): boolean =>
    names.has(`/${name}`) || written.some((path) => path.endsWith(`/${name}`)) || othersFiles.test(name);
  const lost = written
    .filter((path) => !/(?:^|\/)(?:generated|fixtures)\//.test(path))
    .flatMap((path) =>
      // Lower case: NAME.ts stands for any, and so does x.ts. No letter before: `*_option.ts` and `{a,b}_test.c` are several.
      [
        ...proseOf(path).matchAll(
          /(?<![\w/.*{}<>$@-])(?:\.{1,2}\/)*([a-z][a-z_\d/-]+(?:(?:\.slow)?\.test)?\.(?:ts|c|h))(?![\w/.(-])/g,
        ),
      ]
        .filter(([, name = ""]) => !isThere(name))
        .map(([, name]) => `${path}: ${name}`),
    );
  assert.ok(written.length > 1000, "files are read");
  assert.deepEqual(lost, []);
});
