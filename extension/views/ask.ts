// Asks the service worker for an action, and watches its state. Knows no more of it than extension/actions.ts says.
import { type Action, type Answer, emptyState, type Failure, type State, stateKey } from "../actions.ts";
import { historyChannel } from "../history/history.ts";

/** The answer; where the service worker gives none, a failure that says so. Never rejects. */
export async function ask<A extends Action>(action: A): Promise<Answer<A["do"]>> {
  try {
    const answer: Answer<A["do"]> | undefined = await chrome.runtime.sendMessage(action);
    if (answer) return answer;
    return { ok: false, error: silence("it gave no answer") };
  } catch (error) {
    return { ok: false, error: silence(error instanceof Error ? error.message : String(error)) };
  }
}

function silence(why: string): Failure {
  return {
    code: "failed",
    message: `the extension's service worker failed: ${why}`,
    remedy: `try again; if it stays so, reload the extension in ${TRILANE_FIREFOX ? "about:addons" : "chrome://extensions"}`,
  };
}

export async function readState(): Promise<State> {
  const kept = await chrome.storage.session.get(stateKey);
  return { ...emptyState, ...(kept[stateKey] as Partial<State> | undefined) };
}

/** Calls with the state as it is, and again whenever it changes. */
export async function watchState(tell: (state: State) => void): Promise<void> {
  chrome.storage.session.onChanged.addListener((changes) => {
    const change = changes[stateKey];
    if (change) tell({ ...emptyState, ...(change.newValue as Partial<State> | undefined) });
  });
  // A service worker that was stopped resumes its races with any message.
  void ask({ do: "wake" });
  tell(await readState());
}

/** Calls whenever a profile or race was added to the history or taken from it. */
export function watchHistory(tell: () => void): void {
  new BroadcastChannel(historyChannel).addEventListener("message", tell);
}
