// The popup: the last result of the page in front of the user, two buttons, and what is under way. It may be closed at any
// moment; all else happens in the service worker.
import { middleCut } from "../../../cli/base/middle_cut.ts";
import { formatSize, formatTime } from "../../../cli/base/numbers.ts";
import type { Failure } from "../../actions.ts";
import { pages, type State } from "../../actions.ts";
import { withoutFragment } from "../../capture/url_without_credentials.ts";
import { html, type Markup } from "../../figures/markup.ts";
import { getProfile, listProfiles, listRaces, type Profile, type RaceRow, usage } from "../../history/history.ts";
import { ask, readState, watchHistory, watchState } from "../ask.ts";
import { addColours, find, on, put } from "../put.ts";
import { openRaceForm, type RaceChoice } from "../race_form.ts";
import { dateTime, failureNote, isUnderWay, laneTracks, logo, pageName, raceLine, sharesBar } from "../words.ts";

const latestShown = 4;
const url = (path: string): string => chrome.runtime.getURL(path);

interface Tab {
  readonly id: number;
  readonly url: string;
}

/** The tab that the toolbar button was clicked on. `?tab=ID` stands for it where the popup is opened as a page. */
async function tabInFront(): Promise<Tab | null> {
  const given = Number(new URLSearchParams(location.search).get("tab"));
  const tab =
    Number.isInteger(given) && given > 0
      ? await chrome.tabs.get(given).catch(() => null)
      : (await chrome.tabs.query({ active: true, currentWindow: true }))[0];
  return tab?.id === undefined ? null : { id: tab.id, url: tab.url ?? "" };
}

/** Of this page the newest, else null. */
async function lastOf(tab: Tab | null): Promise<Profile | null> {
  if (!tab || tab.url === "") return null;
  const row = (await listProfiles()).find((each) => withoutFragment(each.url) === withoutFragment(tab.url));
  return row ? getProfile(row.id) : null;
}

function resultMarkup(profile: Profile): Markup {
  const { metrics, protocols, id, started, notes } = profile.log._trilane;
  const plt =
    metrics.plt_ms === null
      ? html`<span>${metrics.unavailable.plt_ms ?? "no load event was seen"}</span>`
      : html`<b>${formatTime(metrics.plt_ms)}</b><span>page load time</span>`;
  const note = notes.find(({ about }) => about === "end");
  return html`<p class="big">${plt}<a href="${url(pages.result(id))}" target="_blank">Details</a></p>${sharesBar(protocols)}${note && html`<p class="note">${note.text}</p>`}<p class="soft">${dateTime(started)}</p>`;
}

function profilingMarkup({ requests, since_ms, phase, url: address }: NonNullable<State["profiling"]>): Markup {
  const words = { attaching: "Starting", loading: "Loading", settling: "Waiting until it is quiet", saving: "Saving" };
  return html`<p class="big"><span class="pulse"></span><span>${words[phase]} …</span><b class="number">${String(requests)}</b><span>requests, <span data-since="${String(since_ms)}"></span></span></p><p class="soft">${middleCut(address, 60)}</p><p><button type="button" id="stop">Stop and keep what was seen</button></p>`;
}

function runningMarkup(state: State): Markup {
  const running = Object.entries(state.races).filter(([, race]) => isUnderWay(race));
  return html`${running.map(
    ([id, race]) =>
      html`<div class="running"><p><b>${middleCut(race.name, 40)}</b></p><p class="soft">${raceLine(race)}</p>${laneTracks(race)}<div class="row"><a href="${url(pages.race(id))}" target="_blank">Watch</a><button type="button" class="cancel" data-race="${id}">Cancel</button></div></div>`,
  )}`;
}

function raceWords({ outcome, link }: RaceRow): string {
  return outcome === "finished" ? `raced, ${link}` : `race ${outcome}`;
}

async function latestMarkup(): Promise<Markup> {
  const [profiles, races, used] = await Promise.all([listProfiles(), listRaces(), usage()]);
  const rows = [
    ...profiles.map((row) => ({
      started: row.started,
      name: pageName(row),
      href: pages.result(row.id),
      text: row.plt_ms === null ? "no PLT" : formatTime(row.plt_ms),
    })),
    ...races.map((row) => ({ started: row.started, name: row.name, href: pages.race(row.id), text: raceWords(row) })),
  ]
    .toSorted((a, b) => (a.started < b.started ? 1 : -1))
    .slice(0, latestShown);
  const list = rows.map(
    ({ name, href, text, started }) =>
      html`<li><a href="${url(href)}" target="_blank" title="${name}, ${dateTime(started)}">${name}</a><span class="soft number">${text}</span></li>`,
  );
  const heading = rows.length > 0 ? html`<h2>Latest</h2><ul>${list}</ul>` : html`<p class="soft">No profiles yet.</p>`;
  return html`${heading}<p class="foot soft"><a href="${url("views/result/result.html")}" target="_blank">All results, or open a HAR file</a><span class="number">${formatSize(used.bytes)} of ${formatSize(used.limit_bytes)}</span></p>`;
}

addColours();
if (TRILANE_FIREFOX)
  find("#words").textContent =
    "Profiling reloads the page. Without reloading there is less detail. Nothing leaves this machine.";
put(find("#brand"), html`${logo}Trilane`);
const answer = find("#answer");
const trouble = find("#trouble");
const actions = find("#actions");
const form = find<HTMLFormElement>("#race-form");
const tab = await tabInFront();
find("#page").textContent = middleCut(URL.parse(tab?.url ?? "")?.host || tab?.url || "", 44);
let state = await readState();

async function showAnswer(): Promise<void> {
  const { profiling, last } = state;
  actions.hidden = profiling !== null || !form.hidden;
  if (profiling) {
    put(answer, profilingMarkup(profiling));
    return showSince();
  }
  const profile = await lastOf(tab);
  const failed = last && tab && last.tabId === tab.id ? last.error : null;
  put(trouble, failed ? failureNote(failed) : html``);
  put(
    answer,
    profile ? resultMarkup(profile) : html`<p>Which protocol did each request use, and where did the time go?</p>`,
  );
}

/** Counts on between the changes of state. */
function showSince(): void {
  for (const element of document.querySelectorAll<HTMLElement>("[data-since]"))
    element.textContent = `${((Date.now() - Number(element.dataset.since)) / 1000).toFixed(1)} s`;
}

function show(): void {
  put(find("#running"), runningMarkup(state));
  void showAnswer();
}

function tell(error: Failure | null): void {
  put(trouble, error ? failureNote(error) : html``);
}

async function profile(keepBodies: boolean): Promise<Failure | string> {
  if (!tab) return { code: "no-page", message: "there is no page in front of you", remedy: "open one, then try again" };
  await requestSites();
  const cache = find<HTMLInputElement>("#cache").checked ? "on" : "off";
  const answered = await ask({ do: "profile", tabId: tab.id, cache, keepBodies });
  return answered.ok ? answered.profile : answered.error;
}

/** Firefox lets users take sites away from an extension that sees their requests; where it does not ask, profiling says what to do. */
async function requestSites(): Promise<void> {
  if (TRILANE_FIREFOX) await chrome.permissions.request({ origins: ["<all_urls>"] }).catch(() => false);
}

/** Of the last profile where its contents are still in memory, else of one that is made now. */
async function race(choice: RaceChoice): Promise<Failure | null> {
  const kept = await lastOf(tab);
  const id = kept && bodiesOf(kept) ? kept.log._trilane.id : await profile(true);
  if (typeof id !== "string") return id;
  const started = await ask({ do: "race", profile: id, ...choice });
  if (!started.ok) return started.error;
  await chrome.tabs.create({ url: url(pages.race(started.race)), active: false });
  return null;
}

function bodiesOf({ log }: Profile): boolean {
  const kept = state.bodies[log._trilane.id];
  return kept !== undefined && kept.until_ms > Date.now();
}

find("#profile").addEventListener("click", async () => {
  const answered = await profile(false);
  tell(typeof answered === "string" ? null : answered);
});
find("#observe").addEventListener("click", async () => {
  if (!tab) return;
  const answered = await ask({ do: "observe", tabId: tab.id });
  tell(answered.ok ? null : answered.error);
  if (answered.ok) await chrome.tabs.create({ url: url(pages.result(answered.profile)) });
});
find("#race").addEventListener("click", async () => {
  actions.hidden = true;
  const again = lastOf(tab).then((last) => !(last && bodiesOf(last)));
  await openRaceForm(form, again, race);
});
form.addEventListener("closed", () => show());
on(answer, "click", "#stop", async () => {
  const answered = await ask({ do: "stop-profile" });
  tell(answered.ok ? null : answered.error);
});
on(find("#running"), "click", ".cancel", async (button) => {
  const answered = await ask({ do: "cancel-race", race: button.dataset.race ?? "" });
  tell(answered.ok ? null : answered.error);
});

await watchState((changed) => {
  state = changed;
  show();
});
const showLatest = async (): Promise<void> => put(find("#latest"), await latestMarkup());
watchHistory(() => {
  show();
  void showLatest();
});
setInterval(showSince, 100);
await showLatest();
