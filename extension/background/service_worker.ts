// The service worker: takes what views ask and the keyboard shortcut, and hands it to who does it. All listeners are
// set before anything is awaited, for the browser wakes the worker to tell them.
import { type Action, type Failure, pages } from "../actions.ts";
import { getProfile } from "../history/history.ts";
import { answerAction } from "./answer_action.ts";
import { listenToDebugger } from "./debugger_session.ts";
import { failureOf } from "./failure.ts";
import { isOwnPage } from "./own_page.ts";
import { mendProfiling, profilingOf, startProfile } from "./profiling.ts";
import { resumeRaces } from "./races.ts";

if (!TRILANE_FIREFOX) listenToDebugger();

// What the service worker was stopped at; nothing is answered before its profiling is cleared up.
const ready = mendProfiling().catch(() => {});
void ready.then(resumeRaces).catch(() => {});

// Listening is enough: it wakes the worker when the browser starts, and races are resumed.
chrome.runtime.onStartup.addListener(() => {});

type Answer = { ok: true } | { ok: false; error: Failure };

chrome.runtime.onMessage.addListener((message: unknown, sender, reply: (answer: Answer) => void) => {
  if (!isOwnPage(sender, { id: chrome.runtime.id, origin: location.origin })) return false;
  ready
    .then(() => answerAction(message as Action))
    .then(
      (answer) => reply({ ok: true, ...answer }),
      (error: unknown) => reply({ ok: false, error: failureOf(error) }),
    );
  return true;
});

chrome.commands.onCommand.addListener((command, tab) => {
  if (command !== "profile-page" || tab?.id === undefined) return;
  const { id } = tab;
  // Where it fails, the toolbar's button says so.
  void ready.then(() => profileAndShow(id)).catch(() => {});
});

/** No popup is open that would lead to the result. */
async function profileAndShow(tabId: number): Promise<void> {
  const profile = await startProfile({ tabId, cache: "off", keepBodies: false });
  await profilingOf(profile);
  if (await getProfile(profile)) await chrome.tabs.create({ url: chrome.runtime.getURL(pages.result(profile)) });
}
