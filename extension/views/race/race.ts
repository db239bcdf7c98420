// The race page: ?race=ID shows lanes filling while it runs, whoever else is closed or asleep meanwhile, and then its result.
import { formatTime } from "../../../cli/base/numbers.ts";
import { pages, type RaceState, type State } from "../../actions.ts";
import { html, type Markup } from "../../figures/markup.ts";
import { hatchPatterns } from "../../figures/phase_shapes.ts";
import { getRace, type RaceRecord } from "../../history/history.ts";
import { ask, readState, watchHistory, watchState } from "../ask.ts";
import { addColours, find, on, put } from "../put.ts";
import { dateTime, failureNote, isUnderWay, laneTracks, logo, raceLine } from "../words.ts";
import { outcomeMarkup } from "./outcome.ts";

const id = new URLSearchParams(location.search).get("race") ?? "";
const url = (path: string): string => chrome.runtime.getURL(path);
const trouble = find("#trouble");
let state: State = await readState();
let record: RaceRecord | null = null;
let isRequested = false;

function titleMarkup(name: string, lanes: readonly string[], link: string, profile: string, started: string): Markup {
  return html`<h1>${name}</h1><p class="soft">${lanes.join(", ")} over ${link}${started && `, ${dateTime(started)}`} · <a href="${url(pages.result(profile))}">its profile</a></p>`;
}

/** What the lanes have said until now, in numbers. */
function soFar(race: RaceState): Markup {
  const lanes = race.lanes.map((lane) => {
    const plts = race.plts[lane] ?? [];
    return html`<tr><th scope="row">${lane}</th><td class="num">${String(race.lanesDone[lane] ?? 0)}</td><td>${plts.map(formatTime).join(", ") || "–"}</td></tr>`;
  });
  return html`<table><caption>Page load times so far. The verdict comes with the last one.</caption><thead><tr><th scope="col">lane</th><th scope="col" class="num">loads</th><th scope="col">PLT</th></tr></thead><tbody>${lanes}</tbody></table>`;
}

function progressMarkup(race: RaceState): Markup {
  return html`<p role="status">${raceLine(race)}</p>${laneTracks(race)}<p class="row buttons"><button type="button" id="cancel">Cancel the race</button><span class="soft">You can close this page; the race continues.</span></p>${race.phase === "racing" && soFar(race)}`;
}

function endMarkup({ outcome, error }: RaceRecord): Markup {
  if (outcome === "canceled")
    return html`<p class="note">The race was canceled. trilane-host keeps what was measured.</p>`;
  return error ? failureNote(error) : html``;
}

/** Whether the helper could tell more than the history has: also where it was not to be reached before. */
const mayBeKnown = ({ outcome, error, hostRace }: RaceRecord): boolean =>
  hostRace !== null && (outcome === "running" || outcome === "finished" || (error?.code.startsWith("host-") ?? false));

/** The helper may hold a result that the history has not got, where browser or service worker ended in between. */
async function askForResult(): Promise<void> {
  if (isRequested) return;
  isRequested = true;
  put(find("#progress"), html`<p role="status">Asking trilane-host for the result …</p>`);
  const answered = await ask({ do: "race-result", race: id });
  if (!answered.ok) put(trouble, failureNote(answered.error));
  await show();
}

async function show(): Promise<void> {
  record = await getRace(id);
  const race = state.races[id];
  if (!race && !record) {
    return put(
      trouble,
      failureNote({
        code: "no-race",
        message: "this race was removed from the history",
        remedy: "race the page again from Trilane's button",
      }),
    );
  }
  const { name, lanes, link, profile } = record ?? (race as RaceState);
  document.title = `${name}: race · Trilane`;
  put(find("#title"), titleMarkup(name, lanes, link, profile, record?.started ?? ""));
  if (race && isUnderWay(race)) return put(find("#progress"), progressMarkup(race));
  const result = record?.result ?? null;
  if (!result && record && !isRequested && mayBeKnown(record)) return askForResult();
  put(find("#progress"), html``);
  if (record && record.outcome !== "finished") put(trouble, endMarkup(record));
  else if (race?.error) put(trouble, failureNote(race.error));
  if (result) put(find("#outcome"), outcomeMarkup(result));
}

/** The read-out shows what is pointed at or walked to by keys, as in the report. */
function readOut(outcome: HTMLElement): void {
  const tell = (hit: Element | null | undefined): void => {
    const title = hit?.querySelector("title")?.textContent;
    const place = outcome.querySelector(".waterfall .readout");
    if (title && place) place.textContent = title;
  };
  on(outcome, "mouseover", ".waterfall", (_, { target }) =>
    tell(target instanceof Element ? target.closest(".hit") : null),
  );
  on(outcome, "keydown", ".waterfall", (figure, event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    const hits = [...figure.querySelectorAll(".hit")];
    if (step === undefined || hits.length === 0) return;
    event.preventDefault();
    const before = hits.findIndex((hit) => hit.classList.contains("at"));
    hits[before]?.classList.remove("at");
    const hit = hits[Math.max(0, Math.min(hits.length - 1, before + step))];
    hit?.classList.add("at");
    tell(hit);
  });
}

addColours();
put(find("#brand"), html`${logo}<a href="${url("views/result/result.html")}">Trilane</a>`);
put(find("#patterns"), hatchPatterns());
on(find("#progress"), "click", "#cancel", async (button) => {
  (button as HTMLButtonElement).disabled = true;
  const answered = await ask({ do: "cancel-race", race: id });
  put(trouble, answered.ok ? html`` : failureNote(answered.error));
});
const outcome = find("#outcome");
on(outcome, "click", "#report", async () => {
  const answered = await ask({ do: "open-report", race: id });
  put(trouble, answered.ok ? html`` : failureNote(answered.error));
});
readOut(outcome);
await watchState((changed) => {
  state = changed;
  void show();
});
watchHistory(() => void show());
document.documentElement.dataset.ready = "yes";
