// Races: hands a profile over, starts the race at trilane-host, follows it to its end, keeps its result. The race itself is
// the host's job and runs without us, so what is followed here can be followed again: after the port broke, after the
// service worker was put to sleep, after the browser was closed. A race that has begun is in the history at once.
import type { SweepEvent } from "../../schemas/generated/sweep_event.ts";
import type { Failure, Lane, RaceState } from "../actions.ts";
import { getProfile, getRace, listRaces, putRace, type RaceResult, type RaceRow } from "../history/history.ts";
import { FailureError, failureOf } from "./failure.ts";
import { handOver } from "./hand_over.ts";
import { dropBodies, type HeldBodies, heldBodies } from "./held_bodies.ts";
import { greetHost } from "./host.ts";
import { askHost, type Fields } from "./native_port.ts";
import { profilingOf } from "./profiling.ts";
import { afterLine, beginning } from "./race_progress.ts";
import { changeRace, changeState, currentState } from "./state.ts";

export interface RaceRequest {
  readonly profile: string;
  readonly lanes: readonly Lane[];
  readonly link: string;
  readonly runs: number;
  readonly keepCredentials: boolean;
}

type Row = Omit<RaceRow, "size_bytes">;

/** Races that this service worker follows, with what a cancel must know. */
const followed = new Map<string, { canceled: boolean }>();

const followTries = 5;
const resultTimeout_ms = 300_000;
const wait = (time_ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time_ms));

const noRace = (): FailureError =>
  new FailureError("no-race", "This race was removed from the history.", "Start it again from the profile.");
const canceledFailure: Failure = { code: "canceled", message: "The race was canceled.", remedy: "Start it again." };

const wasCanceled = (id: string): boolean => followed.get(id)?.canceled ?? false;

async function end(row: Row, outcome: "finished" | "failed" | "canceled", error: Failure | null, result?: RaceResult) {
  await putRace({ ...row, outcome, error }, result ?? null);
  await changeRace(row.id, { phase: outcome, error, ...(outcome === "finished" ? { left_s: 0 } : {}) }, true);
}

/** The race's id, when it is known that it can begin. FailureError where it cannot. */
export async function startRace(request: RaceRequest): Promise<string> {
  await greetHost();
  // A view may ask while the page still loads, and be closed.
  await profilingOf(request.profile);
  const profile = await getProfile(request.profile);
  if (!profile)
    throw new FailureError(
      "no-profile",
      "This profile was removed from the history.",
      "Profile the page again, then race it.",
    );
  const bodies = heldBodies(request.profile);
  if (!bodies)
    throw new FailureError(
      "no-bodies",
      "The page's contents are no longer in memory, and a race needs them.",
      "Race it again from its tab, which reloads the page with its contents.",
    );
  if (bodies.ofResponses.size === 0)
    throw new FailureError(
      "nothing-to-race",
      "No response of this page came over the network with a body, so there is nothing to race.",
      "Profile it with the cache off. If a service worker answers the page, use `trilane record URL`.",
    );
  const { title, url } = profile.log._trilane;
  const row: Row = {
    id: crypto.randomUUID(),
    profile: request.profile,
    name: title || url,
    link: request.link,
    lanes: request.lanes,
    runs: request.runs,
    started: new Date().toISOString(),
    outcome: "running",
    error: null,
    hostRace: null,
  };
  await putRace(row);
  await showRace(row, "handing-over");
  followed.set(row.id, { canceled: false });
  void begin(row, request, bodies);
  return row.id;
}

async function showRace(row: Row, phase: RaceState["phase"]): Promise<void> {
  const { id, profile, name, link, lanes } = row;
  const race = { ...beginning(lanes, row.runs), profile, name, link, lanes: [...lanes], phase, error: null };
  await changeState((state) => ({ ...state, races: { ...state.races, [id]: race } }), true);
}

async function begin(row: Row, request: RaceRequest, bodies: HeldBodies): Promise<void> {
  let started = row;
  let handed: string | null = null;
  try {
    const profile = await getProfile(row.profile);
    if (!profile) throw noRace();
    const canceled = () => wasCanceled(row.id);
    handed = await handOver(profile, bodies, request.keepCredentials, canceled);
    await dropBodies();
    if (canceled()) throw new FailureError("canceled", canceledFailure.message, canceledFailure.remedy);
    const { race } = await askHost("race.start", {
      profile: handed,
      lanes: [...row.lanes],
      link: row.link,
      runs: row.runs,
      // Every race hands its page over anew: what was handed over is not to pile up there.
      options: {
        filmstrip: true,
        forget_profile: true,
        ...(request.keepCredentials ? { keep_credentials: true } : {}),
      },
    });
    if (typeof race !== "string")
      throw new FailureError("host-garbage", "Trilane's helper did not name the race.", "Try again.");
    started = { ...row, hostRace: race };
    await putRace(started);
    if (canceled()) await askHost("race.cancel", { race });
  } catch (error) {
    const failure = failureOf(error);
    if (handed !== null && started.hostRace === null)
      await askHost("profile.remove", { profile: handed }).catch(() => {});
    await end(started, failure.code === "canceled" ? "canceled" : "failed", failure);
    followed.delete(row.id);
    return;
  }
  await follow(started);
}

const isUnreachable = ({ code }: Failure): boolean => code.startsWith("host-");

/** How it ended is not known: its page requests it anew whenever it is opened. */
const unknownEnd = ({ code, message, remedy }: Failure): Failure => ({
  code,
  message: `The outcome of this race is unknown. ${message}`,
  remedy: `${remedy} Then open this race again: it may have finished.`,
});

/** Follows to the end, again where the conversation broke. Never rejects. */
async function follow(row: Row): Promise<void> {
  followed.set(row.id, followed.get(row.id) ?? { canceled: false });
  let failure: Failure | null = null;
  try {
    for (let tries = 0; tries < followTries; tries++) {
      try {
        await followOnce(row);
        return;
      } catch (error) {
        failure = failureOf(error);
        // The host's word on this race, and not the conversation's end, is final.
        if (!isUnreachable(failure)) break;
        if (failure.code === "host-missing" || failure.code === "host-permission") break;
        await wait(500 * 2 ** tries);
      }
    }
    await end(row, "failed", failure && isUnreachable(failure) ? unknownEnd(failure) : failure);
  } catch {
    // The browser's own storage failed: nothing is left to tell it with.
  } finally {
    followed.delete(row.id);
  }
}

async function followOnce(row: Row): Promise<void> {
  const race = row.hostRace;
  let progress = beginning(row.lanes, row.runs);
  await changeRace(row.id, { error: null });
  const answer = await askHost(
    "race.follow",
    { race, from: 0 },
    {
      timeout_ms: null,
      event({ line }: Fields) {
        if (typeof line !== "object" || line === null) return;
        progress = afterLine(progress, line as SweepEvent);
        void changeRace(row.id, progress);
      },
    },
  );
  const error = answer.error as { message?: unknown } | null | undefined;
  switch (answer.state) {
    case "finished": {
      await changeRace(row.id, { phase: "reporting", left_s: null }, true);
      await end(row, "finished", null, await resultOf(row));
      return;
    }
    case "canceled":
      await end(row, "canceled", canceledFailure);
      return;
    default: {
      if (wasCanceled(row.id)) {
        await end(row, "canceled", canceledFailure);
        return;
      }
      const message =
        typeof error?.message === "string" && error.message !== ""
          ? error.message
          : "The race ended without saying why.";
      await end(row, "failed", { code: "race-failed", ...remedyOf(message) });
    }
  }
}

/** The command line's messages name the remedy after their last colon. */
function remedyOf(message: string): { message: string; remedy: string } {
  const colon = message.lastIndexOf(": ");
  return colon > 0
    ? { message: message.slice(0, colon), remedy: message.slice(colon + 2) }
    : { message, remedy: "Run `cli/trilane doctor` in Trilane's folder to see what a race needs." };
}

async function resultOf({ hostRace }: Row): Promise<RaceResult> {
  const { result } = await askHost("race.result", { race: hostRace }, { timeout_ms: resultTimeout_ms });
  const found = result as Partial<RaceResult> | undefined;
  if (found?.schema !== "trilane/race-result/1" || !Array.isArray(found.lanes))
    throw new FailureError(
      "host-garbage",
      "Trilane's helper did not return the race's result.",
      "Update both to the same version: in Trilane's folder run `npm run setup`, then reload the extension.",
    );
  return found as RaceResult;
}

export async function cancelRace(id: string): Promise<void> {
  const race = await getRace(id);
  if (!race) throw noRace();
  const follower = followed.get(id);
  if (follower) follower.canceled = true;
  if (race.outcome !== "running") return;
  if (race.hostRace !== null) await askHost("race.cancel", { race: race.hostRace });
  else if (!follower) await end(race, "canceled", canceledFailure);
}

/** Gets a race's result again, or follows it further. */
export async function getResult(id: string): Promise<void> {
  const race = await getRace(id);
  if (!race?.hostRace) throw noRace();
  if (race.result || followed.has(id)) return;
  if (race.outcome === "finished") {
    const { result: _, ...row } = race;
    await putRace(row, await resultOf(row));
    return;
  }
  if (race.outcome !== "running" && !(race.error && isUnreachable(race.error))) return;
  const { result: _, ...row } = race;
  await putRace({ ...row, outcome: "running", error: null });
  await showRace(row, "importing");
  void follow(row);
}

export async function openReport(id: string): Promise<void> {
  const race = await getRace(id);
  if (!race) throw noRace();
  const path = race.result?.report_path;
  if (!path)
    throw new FailureError("no-race", "This race has no report yet.", "Wait for its end; `trilane report` writes one.");
  const url = `file://${path.split("/").map(encodeURIComponent).join("/")}`;
  try {
    await chrome.tabs.create({ url });
  } catch {
    throw new FailureError(
      "file-not-allowed",
      `The browser does not let the extension open files. The report is ${path}`,
      TRILANE_FIREFOX
        ? "Open that file in the browser: Firefox opens no files for extensions."
        : 'Open that file in the browser, or allow it under chrome://extensions, Trilane, "Allow access to file URLs".',
    );
  }
}

/** After the service worker or the browser started: resumes what was under way. */
export async function resumeRaces(): Promise<void> {
  const { races } = await currentState();
  for (const row of await listRaces()) {
    if (row.outcome !== "running" || followed.has(row.id)) continue;
    if (row.hostRace === null) {
      // It was being handed over, and its contents went with the service worker.
      await end(row, "failed", {
        code: "no-bodies",
        message: "The browser ended Trilane's service worker while the page was being passed to the helper.",
        remedy: "Race it again from its tab.",
      });
      continue;
    }
    if (!races[row.id]) await showRace(row, "importing");
    void follow(row);
  }
}
