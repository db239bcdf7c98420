// `trilane shell`: runs any command behind an emulated link, with a recording's origins, servers of this machine or the internet
// at the other end, or nothing but the other end. The command has the terminal; its exit status is this command's.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import type { ShellNote } from "../../schemas/generated/shell.ts";
import { RunError, UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { flag } from "../base/option.ts";
import { makeProcessFolder, sweepProcessFolders } from "../base/process_folder.ts";
import { removedAtEnd } from "../base/removed_at_end.ts";
import { say, terminalJson } from "../base/terminal_text.ts";
import { formatLink, type LinkProfile } from "../link/link.ts";
import { openLiveLine } from "../link/meter/live_line.ts";
import { readGivenLink } from "../link/profile_file.ts";
import { newControlPath } from "../link/socket_path.ts";
import { extraRttArguments, extraRtts } from "../load/extra_rtts.ts";
import { commandEnvironment, type LabOptions, labCommand, spkiList } from "../load/lab.ts";
import type { Reach } from "../load/reach/reach.ts";
import { defineReach, reachChoiceOf, reachHere, refuseSilent, wantedOf } from "../load/reach/wanted.ts";
import { servingArguments } from "../load/serving/arguments.ts";
import { defineServing, servingOfCommand } from "../load/serving/options.ts";
import { settleServing } from "../load/serving/serving.ts";
import { withArchive } from "../recording/archive/client.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .with(defineServing)
    .with(defineReach)
    .usage("trilane shell --link LINK [--recording NAME | --reach HOST:PORT | --outside] -- COMMAND...")
    .option("link", {
      demandOption: true,
      describe: "as 3mbit/50ms, 3g,loss=1%, or down=30mbit,up=15mbit,rtt=100ms,queue=64kB; see `trilane links`",
    })
    .option("meter", flag("show rate, queue and drops in a line at the bottom"))
    .option("control", {
      describe: "a control socket, for `trilane meter` and `trilane steer`: a name, or a path (with a slash)",
    })
    .option("log", { describe: "FILE.down and FILE.up: each packet, in mm-link's format" })
    .option("pcapng", { describe: "a capture, with the TLS keys that the command writes" })
    .option("flow-counters", { describe: "counters of each flow, goodput, utilization, loss ratio (JSON)" })
    .example("trilane shell --link 3mbit/50ms -- ping -c 4 100.64.0.1", "the link's delay")
    .example(
      "trilane shell --link 10mbit/100ms --recording shop -- curl -sI https://shop.example/",
      "a recorded origin through the link",
    )
    .example(
      "trilane shell --link slow-4g --reach localhost:3000 -- npx playwright test",
      "a suite against a development server",
    )
    .example("trilane shell --link 3g --outside -- curl -sI https://example.com/", "the internet through the link")
    .example("trilane shell --link 1mbit/300ms,loss=2% --recording shop -- bash", "a shell to try things in");

type ShellOptions = OptionsOf<typeof define> & { "--"?: string[] };

export const command: Command<ShellOptions> = {
  usage: "shell",
  summary: "Run a command behind an emulated link",
  define,
  run: async (options) => {
    const words = options["--"] ?? [];
    if (words.length === 0) throw new UserError("shell: no command: write it after --, as `-- curl -I https://...`");
    const home = homeFolder(options.home);
    const link = readGivenLink(options.link, process.cwd());
    const choice = reachChoiceOf(options);
    const serving = settleServing(servingOfCommand(options, options.recording));
    const exchanges =
      choice.kind === "recording" ? (await withArchive(home, (archive) => archive.show(choice.name))).exchanges : [];
    const wanted = await wantedOf(choice, exchanges);
    await refuseSilent(wanted);
    const reached = reachHere(wanted);
    const lab: LabSettings = {
      far: reached.far,
      replayOptions: servingArguments(serving),
      shaperOptions: [...reached.shaperOptions, ...(serving.extra_rtt ? extraRttArguments(extraRtts(exchanges)) : [])],
    };
    const spkis = choice.kind === "recording" ? await spkiList(home) : null;
    const note = noteOf(link, options.recording ?? null, choice.kind, reached);
    const control = options.control === undefined ? undefined : newControlPath(options.control);
    say(options.json ? terminalJson(note) : `trilane shell: ${note.link}; at the other end: ${reached.sentence}`);
    await sweepProcessFolders(scratchParent(), "shell");
    const scratch = makeProcessFolder(scratchParent(), "shell");
    const keep = removedAtEnd(scratch);
    try {
      process.exitCode = await runBehindLink({ ...options, control }, link, words, { ...lab, spkis }, scratch);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
      keep();
    }
  },
};

/** A socket's path may have 107 bytes. */
function scratchParent(): string {
  return Buffer.byteLength(tmpdir()) <= 80 ? tmpdir() : "/tmp";
}

type LabSettings = Required<Pick<LabOptions, "far" | "replayOptions" | "shaperOptions">>;

function noteOf(
  link: LinkProfile,
  recording: string | null,
  kind: ShellNote["reach"],
  { reachable, nameserver }: Reach,
): ShellNote {
  return {
    schema: "trilane/shell/1",
    link: formatLink(link),
    recording,
    reach: kind,
    reachable: [...reachable],
    nameserver,
  };
}

async function runBehindLink(
  options: ShellOptions,
  link: LinkProfile,
  words: readonly string[],
  settings: LabSettings & { readonly spkis: string | null },
  scratch: string,
): Promise<number> {
  const home = homeFolder(options.home);
  const recording = options.recording ?? null;
  const { far, replayOptions, spkis } = settings;
  const environment = commandEnvironment(spkis === null ? null : { home, spkis });
  const control = options.control ?? (options.meter ? join(scratch, "control") : undefined);
  const shaperOptions = [...settings.shaperOptions];
  const pass = (name: string, value: string | undefined) => {
    if (value !== undefined) shaperOptions.push(name, value);
  };
  pass("--control", control);
  pass("--log", options.log);
  pass("--flow-counters", options["flow-counters"]);
  pass("--pcapng", options.pcapng);
  if (options.pcapng !== undefined) {
    environment.SSLKEYLOGFILE ||= join(scratch, "keys");
    pass("--tls-keys", environment.SSLKEYLOGFILE);
  }
  const lab = labCommand({ home, recording, far, link, replayOptions, reports: null, shaperOptions });
  const [program, ...rest] = [...lab.replay, ...lab.shaper, ...words];
  if (program === undefined) return 0;
  const line = options.meter && control !== undefined ? openLiveLine(control) : null;
  try {
    return await runInForeground(program, rest, environment);
  } finally {
    line?.close();
  }
}

/** Ctrl-C in the terminal reaches the command itself, so here it is only outlived. */
async function runInForeground(program: string, words: string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(program, words, { stdio: "inherit", env: environment });
  const outlive = () => {};
  const pass = () => child.kill("SIGTERM");
  process.on("SIGINT", outlive).on("SIGQUIT", outlive).on("SIGTERM", pass).on("SIGHUP", pass);
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", (error) => reject(new RunError(`shell: ${error.message}`)));
      // As a shell reports it: 128 and the signal's number.
      child.once("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
  } finally {
    process.off("SIGINT", outlive).off("SIGQUIT", outlive).off("SIGTERM", pass).off("SIGHUP", pass);
  }
}
