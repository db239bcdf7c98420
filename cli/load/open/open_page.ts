// A recording's page or a live one in a browser that stays, in a lab: made, opened, and all of it taken away when the browser is closed
// or the signal comes. Measures nothing.
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { RunError, UserError } from "../../base/errors.ts";
import { type Lane, laneFacts } from "../../base/lanes.ts";
import { checkout, chromiumPath } from "../../base/programs.ts";
import { type Connection, type Exit, type RunningBrowser, StartError, startBrowser } from "../../browser/browser.ts";
import { userAgentOf } from "../../browser/browser_binary.ts";
import { chromiumEnvironment } from "../../browser/chromium.ts";
import { sendInClear } from "../../browser/clear.ts";
import type { Device } from "../../browser/device.ts";
import { showOn } from "../../browser/page.ts";
import { makeScratchFolder } from "../../browser/scratch.ts";
import type { LinkProfile } from "../../link/link.ts";
import type { Recording } from "../../recording/archive/archive.ts";
import { extraRttArgumentsOf } from "../extra_rtts.ts";
import { labCommand, spkiList } from "../lab.ts";
import { laneOriginOptions, urlOnLane } from "../lane_origins.ts";
import type { Reach } from "../reach/reach.ts";
import { recordedRequestsOf } from "../recorded_requests_of.ts";
import { servingArguments } from "../serving/arguments.ts";
import type { Serving } from "../serving/serving.ts";
import { startFailure, visibleArguments, visibleEnvironment } from "./visible_chromium.ts";

/** A recording over a lane, or a live page: its server and the browser choose the protocol, as they do for everybody. */
export type OpenedFar =
  | { readonly kind: "recording"; readonly recording: Recording; readonly lane: Lane; readonly serving: Serving }
  | { readonly kind: "live"; readonly url: string; readonly reached: Reach };

interface OpenOptions {
  readonly home: string;
  readonly far: OpenedFar;
  readonly link: LinkProfile;
  /** A socket for `trilane steer`; null: none. */
  readonly control: string | null;
  readonly headless: boolean;
  /** Ends it. */
  readonly signal: AbortSignal;
}

export interface Opened {
  readonly url: string;
  /** The extension's id in that browser. */
  readonly extension: string;
}

const startTimeout_ms = 40_000;
/** How long a browser may be without any page before it counts as closed: between two there can be none. */
const pageless_ms = 700;
const look_ms = 200;

/** The built extension. UserError where it is not built. */
export function extensionFolder(): string {
  const folder = join(checkout, "build", "extension");
  if (!existsSync(join(folder, "manifest.json")))
    throw new UserError(`the extension is not built: run \`npm run setup\` in ${checkout}`);
  return folder;
}

/** Settles when the last page is closed, as a browser with a window ends then. */
async function closedByUser(connection: Connection): Promise<void> {
  for (let without_ms = 0; without_ms < pageless_ms; ) {
    await delay(look_ms);
    const { targetInfos } = await connection.send("Target.getTargets");
    const hasPage = targetInfos.some(({ type, url }) => type === "page" && !url.startsWith("chrome-extension://"));
    without_ms = hasPage ? 0 : without_ms + look_ms;
  }
}

async function showPage({ connection }: RunningBrowser, far: OpenedFar, device: Device | undefined): Promise<Opened> {
  // Not among the commands that puppeteer's types know.
  const loaded = await connection.send("Extensions.loadUnpacked", { path: extensionFolder() });
  const isClear = far.kind === "recording" && laneFacts[far.lane].clear;
  if (isClear) await sendInClear(connection);
  const url = far.kind === "live" ? far.url : urlOnLane(far.recording.url, far.lane);
  const { targetInfos } = await connection.send("Target.getTargets");
  const first = targetInfos.find(({ type }) => type === "page");
  const target = first ?? (await blankPage(connection));
  const session = await connection.createSession(target);
  if (device) await showOn(session, device);
  // Not awaited to its end: over a slow link the page comes when it comes.
  await session.send("Page.navigate", { url }).catch(() => {});
  return { url, extension: loaded.id };
}

async function blankPage(connection: Connection) {
  const { targetId } = await connection.send("Target.createTarget", { url: "about:blank" });
  return (await connection.send("Target.getTargetInfo", { targetId })).targetInfo;
}

function lastLine({ stderr }: Exit): string {
  return stderr.trim().split("\n").at(-1) ?? "";
}

/** The lab, and what the browser needs for what is at its other end. */
async function labFor({ home, far, link, control }: OpenOptions) {
  const steered = control === null ? [] : ["--control", control];
  if (far.kind === "live") {
    const { reached } = far;
    const shaperOptions = [...reached.shaperOptions, ...steered];
    const lab = labCommand({ home, recording: null, far: reached.far, link, reports: null, shaperOptions });
    // On this lane nothing is forced: QUIC follows if an answer announces it.
    return { lab, recorded: null, lane: "h3-altsvc" as const, spkiList: "" };
  }
  const { recording, lane, serving } = far;
  const lab = labCommand({
    ...{ home, recording: recording.name, link, reports: null },
    replayOptions: [...servingArguments(serving), ...laneOriginOptions(lane)],
    shaperOptions: [...(serving.extra_rtt ? await extraRttArgumentsOf(home, recording) : []), ...steered],
  });
  const recorded = await recordedRequestsOf(home, recording);
  return { lab, recorded, lane, spkiList: await spkiList(home), frequentAcks: serving.client_acks === "frequent" };
}

/** Resolves when the browser was closed or the signal came. `opened` is called when the page is on its way. */
export async function openPage(options: OpenOptions, opened: (page: Opened) => void): Promise<void> {
  const { far, headless, signal } = options;
  extensionFolder();
  const chromium = chromiumPath();
  const scratch = await makeScratchFolder();
  try {
    await mkdir(scratch.profile);
    const environmentOf = headless ? chromiumEnvironment : visibleEnvironment;
    const environment = environmentOf(scratch.profile, scratch.folder, process.env);
    const { lab, recorded, ...ofFar } = await labFor(options);
    const userAgent = await userAgentOf(chromium);
    const words = visibleArguments({
      ...{ profile: scratch.profile, userAgent, headless, ...ofFar },
      ...(recorded ? { hosts: recorded.addresses, device: recorded.device } : {}),
    });
    const commandLine = [...lab.replay, ...lab.shaper, chromium, ...words];
    const browser = await startBrowser({ commandLine, environment, timeout_ms: startTimeout_ms }, signal).catch(
      (error: unknown) => {
        if (error instanceof StartError)
          throw new RunError(
            headless
              ? `the browser did not start: ${error.message}`
              : startFailure(error.message, error.exit?.stderr ?? "", process.env),
          );
        throw error;
      },
    );
    const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    try {
      opened(await showPage(browser, far, recorded?.device));
      const ended = browser.exited.then((exit) => {
        if (exit.code !== 0 && exit.signal === null) throw new RunError(`the browser ended: ${lastLine(exit)}`);
      });
      // A connection that closes is a browser that ends, which `ended` shows.
      await Promise.race([aborted, ended, closedByUser(browser.connection).catch(() => ended)]);
    } finally {
      await browser.stop();
    }
  } catch (error) {
    // What the signal cut off is no fault.
    if (!signal.aborted) throw error;
  } finally {
    await scratch.remove();
  }
}
