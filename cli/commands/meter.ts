// `trilane meter`: watches a running link through its control socket, as a plot on a terminal, as lines elsewhere.
import { setTimeout as pause } from "node:timers/promises";
import { number } from "../base/option.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { LinkControl, LinkEnded, type ShaperStats } from "../link/control_client.ts";
import { type Paint, plotLines, plotted } from "../link/meter/plot.ts";
import { type Look, lookBetween, meterLine } from "../link/meter/samples.ts";
import { controlPath } from "../link/socket_path.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .usage("trilane meter SOCKET")
    .positional("socket", { demandOption: true, describe: "the lab's control socket: its name, or a path" })
    .option(
      "interval",
      number({ least: 20, most: 60_000, unit: "ms" }, { default: 250, describe: "milliseconds between looks" }),
    )
    .example("trilane shell --link 3mbit/50ms --control lab -- bash", "a lab with a control socket")
    .example("trilane meter lab", "in another terminal: a plot until the lab ends, or Ctrl-C")
    .example("trilane meter lab --json", "a line of counters at each look");

type MeterOptions = OptionsOf<typeof define>;

export const command: Command<MeterOptions> = {
  usage: "meter <socket>",
  summary: "Watch a running link: rate, queue and drops",
  define,
  run: async (options) => {
    const control = await LinkControl.connect(controlPath(options.socket));
    const view = options.json ? jsonView() : process.stdout.isTTY ? plotView() : lineView();
    const stopped = new AbortController();
    const stop = () => stopped.abort();
    process.on("SIGINT", stop).on("SIGTERM", stop);
    try {
      await watch(control, view, options.interval, stopped.signal);
    } finally {
      process.off("SIGINT", stop).off("SIGTERM", stop);
      view.end();
      control.close();
    }
  },
};

interface View {
  show(stats: ShaperStats, look: Look | null): void;
  end(): void;
}

/** Until the lab ends, which is as good an end as any, or the signal. */
async function watch(control: LinkControl, view: View, interval_ms: number, signal: AbortSignal): Promise<void> {
  let before: ShaperStats | null = null;
  try {
    while (!signal.aborted) {
      const stats: ShaperStats = await control.stats();
      view.show(stats, before && lookBetween(before, stats));
      before = stats;
      await pause(interval_ms, undefined, { signal });
    }
  } catch (error) {
    if (!(error instanceof LinkEnded) && !signal.aborted) throw error;
  }
}

function jsonView(): View {
  return { show: (stats) => printJson(stats), end: () => undefined };
}

/** Plain lines are for logs: one a second says enough. */
function lineView(): View {
  const pause_ms = 1000;
  let shownAt_ms = Number.NEGATIVE_INFINITY;
  return {
    show(_stats, look) {
      if (!look || performance.now() - shownAt_ms < pause_ms) return;
      shownAt_ms = performance.now();
      printLines([meterLine(look)]);
    },
    end: () => undefined,
  };
}

const colours = { rate: "34", queue: "33", drops: "31", faint: "2" } as const;

function plotView(): View {
  const plain = Boolean(process.env.NO_COLOR);
  const paint: Paint = (what, text) => (plain ? text : `\x1b[${colours[what]}m${text}\x1b[0m`);
  let looks: Look[] = [];
  // A screen of its own, so that what was on the terminal is there again afterwards.
  process.stdout.write("\x1b[?1049h\x1b[?25l");
  return {
    show(_stats, look) {
      if (!look) return;
      const size = { columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 };
      looks = [...looks, look].slice(-plotted(size.columns));
      const lines = plotLines(looks, size, paint);
      process.stdout.write(`\x1b[H${lines.map((line) => `${line}\x1b[K`).join("\r\n")}\x1b[J`);
    },
    end() {
      process.stdout.write("\x1b[?25h\x1b[?1049l");
      const last = looks.at(-1);
      if (last) printLines([meterLine(last)]);
    },
  };
}
