// What a new user may mistype, and the answer: it names the thing, its value and what is accepted. No process is started.
import assert from "node:assert/strict";
import { test } from "node:test";
import { UserError } from "../../../cli/base/errors.ts";
import { nearest } from "../../../cli/base/nearest.ts";
import { isWithin } from "../../../cli/base/option.ts";
import { declaredCommands } from "../../../cli/commands/all.ts";
import { readWords } from "../../../cli/commands/words.ts";

const commands = await declaredCommands();
const planIs = commands.find(({ name }) => name === "sweep")?.arguments[0]?.describe;

const refused: readonly (readonly [words: readonly string[], answer: string])[] = [
  [[], "name a command: see `trilane --help`"],
  [["rase", "shop"], 'no command "rase": did you mean race? see `trilane --help`'],
  [["frobnicate"], 'no command "frobnicate": see `trilane --help`'],
  [["recording", "shw", "x"], 'recording: no action "shw": did you mean show? see `trilane recording --help`'],
  [["race", "shop", "--rnus", "3"], "race: no option --rnus: did you mean --runs? see `trilane race --help`"],
  [["race", "shop", "-r", "3"], "race: no option -r: see `trilane race --help`"],
  [["doctor", "--frob"], "doctor: no option --frob: see `trilane doctor --help`"],
  [["race", "shop", "--runs", "abc"], '--runs: must be a whole number from 1 to 10000 (got "abc")'],
  [["race", "shop", "--runs", "0"], '--runs: must be a whole number from 1 to 10000 (got "0")'],
  [["race", "shop", "--runs", "2.5"], '--runs: must be a whole number from 1 to 10000 (got "2.5")'],
  [["race", "shop", "--runs", "-5"], '--runs: must be a whole number from 1 to 10000 (got "-5")'],
  [["race", "shop", "--runs", "0x10"], '--runs: must be a whole number from 1 to 10000 (got "0x10")'],
  [["race", "shop", "--runs"], "--runs: a value is missing: give a whole number from 1 to 10000"],
  [["race", "shop", "--runs", "--json"], "--runs: a value is missing: give a whole number from 1 to 10000"],
  [["race", "shop", "--runs="], "--runs: a value is missing: give a whole number from 1 to 10000"],
  [["race", "shop", "--evidence", ""], "--evidence: a value is missing: give FOLDER (see --help)"],
  [["race", "shop", "--runs", "3", "--runs", "5"], "--runs is given more than once: give it once"],
  [["race", "shop", "--visits", "abc"], '--visits: must be a whole number from 1 to 20 (got "abc")'],
  [["race", "shop", "--timeout", "0"], '--timeout: must be a number above 0, up to 3600 (seconds) (got "0")'],
  [
    ["race", "shop", "--retry-for", "Infinity"],
    '--retry-for: must be a number from 0 to 86400 (seconds) (got "Infinity")',
  ],
  [["race", "shop", "--decide", "3%"], '--decide: must be a number above 0, up to 50 (per cent) (got "3%")'],
  [["race", "shop", "--precise", "50.1"], '--precise: must be a number above 0, up to 50 (per cent) (got "50.1")'],
  [["race", "shop", "--films", "30"], '--films: must be a whole number from 0 to 20 (got "30")'],
  [["race", "shop", "--tls", "1.1"], '--tls: must be 1.2, 1.3 or both (got "1.1")'],
  [["race", "shop", "--as", "is"], '--as: must be auto, recorded or model (got "is")'],
  [["race", "shop", "--transport=fast"], '--transport: must be stock or tuned (got "fast")'],
  [
    ["race", "shop", "--tcp-initial-window", "ten"],
    '--tcp-initial-window: must be a whole number from 1 to 1000 (packets) (got "ten")',
  ],
  [
    ["race", "shop", "--tcp-send-buffer", "100"],
    '--tcp-send-buffer: must be a whole number from 16384 to 1073741824 (bytes) (got "100")',
  ],
  [
    ["race", "shop", "--quic-payload", "1500"],
    '--quic-payload: must be a whole number from 1200 to 1452 (bytes) (got "1500")',
  ],
  [["race", "shop", "--origins", "sharded"], '--origins: must be as-recorded, merged or single (got "sharded")'],
  [["race", "shop", "--json=maybe"], '--json: takes no value (got "maybe"): give it alone, or leave it out'],
  [
    ["race", "shop", "extra"],
    'race: "extra" is one word too many: the form is `trilane race <page>`; see `trilane race --help`',
  ],
  [["recording", "diff", "a"], "recording diff: <b> is missing: name of another; see `trilane recording diff --help`"],
  [["compare", "1", "2", "--threshold", "abc"], '--threshold: must be a number from 0 to 1000 (per cent) (got "abc")'],
  [
    ["recording", "check", ""],
    "recording check: <recording> is empty: name of the recording; see `trilane recording check --help`",
  ],
  [
    ["recording", "show"],
    "recording show: <recording> is missing: name of the recording; see `trilane recording show --help`",
  ],
  [["record"], "record: <urls> is missing: URLs of the pages; without a scheme, https; see `trilane record --help`"],
  [
    ["record", "a.example", "--quiet", "5"],
    "record: no option --quiet: did you mean --idle? see `trilane record --help`",
  ],
  [["record", "a.example", "--idle", "soon"], '--idle: must be a number from 0 to 86400000 (ms) (got "soon")'],
  [["record", "a.example", "--idle", "86400001"], '--idle: must be a number from 0 to 86400000 (ms) (got "86400001")'],
  [
    ["record", "a.example", "--timeout", "2200000"],
    '--timeout: must be a number from 0 to 86400 (seconds) (got "2200000")',
  ],
  [["record", "a.example", "--lane", "h9"], '--lane: must be any, h1, h2 or h3 (got "h9")'],
  [["sweep"], `sweep: <plan> is missing: ${planIs}; see \`trilane sweep --help\``],
  [
    ["sweep", "--page=shop", "my-plan.json"],
    'sweep: <plan> is missing, --page took "my-plan.json": write <plan> before --page; see `trilane sweep --help`',
  ],
  [
    ["sweep", "--page", "shop", "my-plan.json", "--new"],
    'sweep: <plan> is missing, --page took "my-plan.json": write <plan> before --page; see `trilane sweep --help`',
  ],
  [["--runs", "3", "race", "shop"], "no option --runs here: options of a command come after it; see `trilane --help`"],
  [
    ["recording", "--lane", "h3", "check", "shop"],
    "recording: no option --lane here: options of a command come after it; see `trilane recording --help`",
  ],
  [["--hom", "folder", "list"], "no option --hom: did you mean --home? see `trilane --help`"],
  [["race", "shop", "--noStrict"], "race: no option --noStrict: did you mean --no-strict? see `trilane race --help`"],
  [
    ["race", "shop", "--no-strict", "true"],
    'race: "true" is one word too many: the form is `trilane race <page>`; see `trilane race --help`',
  ],
  [["race", "shop", "--no-strict=true"], '--no-strict: takes no value (got "true"): give it alone, or leave it out'],
  [["race", "shop", "--extraRtt"], "race: no option --extraRtt: did you mean --extra-rtt? see `trilane race --help`"],
  [
    ["race", "shop", "--strict", "true"],
    'race: "true" is one word too many: the form is `trilane race <page>`; see `trilane race --help`',
  ],
  [["race", "shop", "-rh"], "race: no option -rh: see `trilane race --help`"],
  [["race", "shop", "--__proto__=1"], "race: no option --__proto__: see `trilane race --help`"],
  [["race", "shop", "-5abc"], "race: no option -5abc: see `trilane race --help`"],
  [["race", "shop", "--runs", "-5abc"], '--runs: must be a whole number from 1 to 10000 (got "-5abc")'],
  [["meter", "/lab", "--interval", "1"], '--interval: must be a number from 20 to 60000 (ms) (got "1")'],
  [["synth", "a", "--hosts", "abc"], '--hosts: must be a whole number from 1 to 100 (got "abc")'],
  [["calibrate", "--rounds", "abc"], '--rounds: must be a whole number from 5 to 1000 (got "abc")'],
  [["submit", "p", "--slurm", "--cpus", "0"], '--cpus: must be a whole number from 1 to 4096 (got "0")'],
  [["time", "--dry-run", "--quiet", "--verbose"], "--quiet and --verbose exclude each other: give one of them"],
  [
    ["sweep", "plan", "--status", "--verbose", "--quiet"],
    "--quiet, --status and --verbose exclude each other: give one of them",
  ],
  [["race", "shop", "--precise=1", "--decide=2"], "--decide and --precise exclude each other: give one of them"],
  [["flows", "--precise=1", "--decide=2"], "--decide and --precise exclude each other: give one of them"],
  [["video", "--rates=1mbit,2mbit", "--rate=1mbit"], "--rate and --rates exclude each other: give one of them"],
  [["plan", "p", "--from", "3", "--spread", "4"], "--spread and --from exclude each other: give one of them"],
  [["trace", "synth", "--seed", "x"], '--seed: must be a whole number from 0 to 4294967295 (got "x")'],
];

for (const [words, answer] of refused)
  test(`trilane ${words.join(" ")}`, () => {
    assert.throws(
      () => readWords(commands, words),
      (error) => {
        assert.ok(error instanceof UserError);
        assert.equal(error.message, answer);
        return true;
      },
    );
  });

test("what is right is taken", () => {
  for (const words of [
    ["--help"],
    ["-V"],
    ["race", "--help"],
    ["--home", "folder", "race", "shop", "--runs=3", "--decide", "2.5", "--no-strict", "--extra-rtt"],
    ["race", "shop", "--strict=true", "--seed", "0"],
    ["sweep", "plan", "--page", "a", "b", "--page", "c"],
    ["submit", "plan", "--slurm", "--sbatch=--partition=long", "--sbatch=-N2"],
    ["import", "-", "--name", "shop"],
    ["sweep", "plan", "--page=a", "b", "--no-strict"],
    ["sweep", "plan", "--quiet", "--no-verbose"],
    ["time", "--quiet", "--verbose", "--help"],
    ["shell", "--link", "1mbit/50ms", "--", "ls", "--runs", "abc", ""],
    ["remove", "a", "b", "c"],
    ["recording", "rm", "a", "b"],
  ])
    assert.doesNotThrow(() => readWords(commands, words), words.join(" "));
});

test("a command gets what is given, in each form, and defaults for what is not", () => {
  const valuesOf = (...words: string[]) => readWords(commands, words).values;
  const race = valuesOf("--home", "folder", "race", "shop", "--runs=3", "--decide", "2.5", "--no-strict", "--pin-time");
  const { home, json, page, runs, decide, strict, link, tls } = race;
  assert.deepEqual([home, json, page, runs, decide, strict], ["folder", false, "shop", 3, 2.5, false]);
  assert.deepEqual([link, tls, race["pin-time"], race["--"]], ["10mbit/50ms", undefined, true, []]);
  assert.deepEqual(valuesOf("sweep", "plan", "--page=a", "b", "--page", "c").page, ["a", "b", "c"]);
  assert.deepEqual(valuesOf("sweep", "plan").page, []);
  const sbatch = valuesOf("submit", "plan", "--slurm", "--sbatch=--partition=long", "--sbatch=-N2");
  assert.deepEqual([sbatch.sbatch, sbatch.plan], [["--partition=long", "-N2"], "plan"]);
  assert.deepEqual(valuesOf("import", "-", "--name", "shop").file, ["-"]);
  assert.deepEqual(valuesOf("shell", "--link", "x", "--", "ls", "--runs", "abc", "")["--"], [
    "ls",
    "--runs",
    "abc",
    "",
  ]);
  assert.deepEqual(valuesOf("remove", "a", "b", "--sweep", "3", "c").recording, ["a", "b", "c"]);
  assert.equal(valuesOf("race", "shop", "--tls", "1.2", "--json=true").tls, "1.2");
  assert.equal(valuesOf("list", "--json=false").json, false);
});

test("no number is endless, where a range has no end either", () => {
  const range = { least: 0, most: Number.POSITIVE_INFINITY };
  assert.deepEqual(
    ["1e308", "1e400", "-1e400"].map((word) => isWithin(range, word)),
    [true, false, false],
  );
});

test("the word that was probably meant", () => {
  assert.equal(nearest("rase", ["race", "record"]), "race");
  assert.equal(nearest("rnus", ["runs"]), "runs");
  assert.equal(nearest("help", ["shell"]), null);
  assert.equal(nearest("cal", ["cell", "calibrate"]), "calibrate");
});
