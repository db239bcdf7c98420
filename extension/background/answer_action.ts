// Does what a view asks for, one function per action. Whatever comes that is no action is refused.
import type { Action, Answers } from "../actions.ts";
import { FailureError } from "./failure.ts";
import { startProfile, stopProfile } from "./profiling.ts";

type AnyAnswer = Answers[Action["do"]];

const malformed = (what: string): FailureError =>
  new FailureError("malformed", `Not an action of Trilane: ${what}.`, "Reload the extension.");

function tabIdOf(tabId: unknown): number {
  if (typeof tabId !== "number" || !Number.isInteger(tabId)) throw malformed("it names no tab");
  return tabId;
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
    default:
      throw malformed(`nothing is called ${String((action as { do?: unknown }).do)}`);
  }
}
