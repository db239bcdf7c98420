// Does what a view asks for, one function per action. Whatever comes that is no action is refused.

import { isLane } from "../../cli/base/lanes.ts";
import type { Action, Answers } from "../actions.ts";
import { FailureError } from "./failure.ts";
import { hostDoctor, hostLinks, hostState } from "./host.ts";
import { observeTab } from "./observing.ts";
import { startProfile, stopProfile } from "./profiling.ts";
import { cancelRace, getResult, openReport, type RaceRequest, startRace } from "./races.ts";

type AnyAnswer = Answers[Action["do"]];

const malformed = (what: string): FailureError =>
  new FailureError("malformed", `Not an action of Trilane: ${what}.`, "Reload the extension.");

function tabIdOf(tabId: unknown): number {
  if (typeof tabId !== "number" || !Number.isInteger(tabId)) throw malformed("it names no tab");
  return tabId;
}

function idOf(id: unknown): string {
  if (typeof id !== "string" || !/^[A-Za-z0-9-]{1,64}$/.test(id)) throw malformed("it names no profile or race");
  return id;
}

function raceOf(action: Extract<Action, { do: "race" }>): RaceRequest {
  const { lanes, link, runs } = action;
  if (!Array.isArray(lanes) || lanes.length === 0 || !lanes.every((lane) => typeof lane === "string" && isLane(lane)))
    throw malformed("it names no lanes");
  if (typeof link !== "string" || link.trim() === "") throw malformed("it names no link");
  if (!Number.isInteger(runs) || runs < 1) throw malformed("its number of loads is not valid");
  return {
    profile: idOf(action.profile),
    lanes: [...new Set(lanes)],
    link: link.trim(),
    runs,
    keepCredentials: action.keepCredentials === true,
  };
}

export async function answerAction(action: Action): Promise<AnyAnswer> {
  if (typeof action !== "object" || action === null) throw malformed("it is no object");
  switch (action.do) {
    case "profile":
      return {
        profile: await startProfile({
          tabId: tabIdOf(action.tabId),
          cache: action.cache === "on" ? "on" : "off",
          keepBodies: action.keepBodies === true,
        }),
      };
    case "stop-profile":
      stopProfile();
      return {};
    case "observe":
      return { profile: await observeTab(tabIdOf(action.tabId)) };
    case "host":
      return { host: await hostState() };
    case "links":
      return { links: await hostLinks() };
    case "doctor":
      return { doctor: await hostDoctor() };
    case "race":
      return { race: await startRace(raceOf(action)) };
    case "cancel-race":
      await cancelRace(idOf(action.race));
      return {};
    case "race-result":
      await getResult(idOf(action.race));
      return {};
    case "open-report":
      await openReport(idOf(action.race));
      return {};
    case "wake":
      return {};
    default:
      throw malformed(`nothing is called ${String((action as { do?: unknown }).do)}`);
  }
}
