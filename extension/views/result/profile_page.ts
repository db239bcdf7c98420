// The result page of one profile: the answer, where requests, bytes and time went, what connections cost, why not h3,
// what videos did, and every request.

import { middleCut } from "../../../cli/base/middle_cut.ts";
import type { Failure } from "../../actions.ts";
import { pages, type State } from "../../actions.ts";
import { html, type Markup } from "../../figures/markup.ts";
import { phaseLegend } from "../../figures/phase_shapes.ts";
import { waterfallSvg } from "../../figures/waterfall.ts";
import { listProfiles, type Profile } from "../../history/history.ts";
import { ask, readState, watchState } from "../ask.ts";
import { find, on, put } from "../put.ts";
import { openRaceForm, type RaceChoice } from "../race_form.ts";
import { dateTime, isUnderWay, laneTracks, pageName, raceLine, sharesBar } from "../words.ts";
import { exportMarkup, wireExports } from "./export_bar.ts";
import { hostsTable } from "./hosts_table.ts";
import { drawnProfile } from "./picture.ts";
import { requestPanel } from "./request_panel.ts";
import { rowsOf } from "./rows.ts";
import { type ShareBy, type ShareRow, sharesOf } from "./shares.ts";
import { showSortable } from "./sortable.ts";
import { h3Markup, metricTiles, notesMarkup, originLine, sentence, sharesTable } from "./summary.ts";
import { videosTable } from "./videos_table.ts";

const shareKinds: readonly ShareBy[] = ["protocol", "host", "connection", "kind"];

function headMarkup(profile: Profile): Markup {
  const facts = profile.log._trilane;
  return html`<div class="title"><h1>${pageName(facts)}</h1><p class="soft"><a href="${/^https?:/.test(facts.url) ? facts.url : "#"}" rel="noreferrer">${middleCut(facts.url, 110)}</a></p><p class="soft">${originLine(facts)}</p></div>
<p class="answer">${sentence(profile)}</p>${metricTiles(facts)}${notesMarkup(facts)}
<div class="row bar-row">${exportMarkup()}</div>
<div class="row bar-row"><button type="button" class="main" id="race">Race it</button><label>Compare with <select id="with"><option value="">another profile …</option></select></label></div>
<form id="race-form" class="form" hidden novalidate aria-label="Race this page"></form><div id="racing"></div>
<section aria-labelledby="shares-title"><h2 id="shares-title">Where requests, bytes and time went</h2>${sharesBar(facts.protocols)}
<div class="row tabs" role="tablist" aria-label="Shared out by">${shareKinds.map((by, index) => html`<button type="button" role="tab" id="tab-${by}" aria-controls="shares" aria-selected="${index === 0 ? "true" : "false"}" tabindex="${index === 0 ? "0" : "-1"}" data-by="${by}">by ${by}</button>`)}</div><div id="shares" role="tabpanel" aria-labelledby="tab-protocol"></div></section>
<section aria-labelledby="hosts-title"><h2 id="hosts-title">Connections and first bytes</h2><div id="hosts"></div>${h3Markup(facts)}</section>
${hasVideos(facts) && html`<section aria-labelledby="videos-title"><h2 id="videos-title">Videos</h2><div id="videos"></div></section>`}
<section aria-labelledby="requests-title"><h2 id="requests-title">Requests</h2><div id="requests"></div></section><figure id="on-paper" class="waterfall"></figure>`;
}

const hasVideos = ({ videos }: Profile["log"]["_trilane"]): boolean =>
  videos !== undefined && videos.list.length + videos.missed.length > 0;

function showCompare(profile: Profile): void {
  const select = find<HTMLSelectElement>("#with");
  const { id } = profile.log._trilane;
  void listProfiles().then((rows) => {
    const others = rows.filter((row) => row.id !== id);
    select.disabled = others.length === 0;
    for (const row of others)
      select.add(new Option(`${middleCut(pageName(row), 40)}, ${dateTime(row.started)}`, row.id));
  });
  select.addEventListener("change", () => {
    if (select.value !== "") location.href = chrome.runtime.getURL(pages.result(id, select.value));
  });
}

/** Rows of a table are requested when their tab is opened. */
function showShares(shares: (by: ShareBy) => ShareRow[], narrow: (share: ShareRow) => void): void {
  const place = find("#shares");
  let by: ShareBy = "protocol";
  let current: ShareRow[] = [];
  const show = (chosen: ShareBy, all: boolean): void => {
    by = chosen;
    current = shares(by);
    put(place, sharesTable(current, by, all));
    place.setAttribute("aria-labelledby", `tab-${by}`);
    for (const tab of document.querySelectorAll<HTMLElement>("[role=tab]")) {
      const selected = tab.dataset.by === by;
      tab.setAttribute("aria-selected", String(selected));
      tab.tabIndex = selected ? 0 : -1;
    }
  };
  const tabs = find(".tabs");
  on(tabs, "click", "[role=tab]", (tab) => show(tab.dataset.by as ShareBy, false));
  tabs.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const next = shareKinds[(shareKinds.indexOf(by) + step + shareKinds.length) % shareKinds.length] as ShareBy;
    show(next, false);
    find(`#tab-${next}`).focus();
  });
  on(place, "click", ".more", () => show(by, true));
  on(place, "click", ".only", (button) => {
    const share = current[Number(button.dataset.index)];
    if (share) narrow(share);
  });
  show("protocol", false);
}

/** Resolves when the tab's page is there. */
async function openedTab(url: string): Promise<number | null> {
  const tab = await chrome.tabs.create({ url, active: true });
  return tab.id ?? null;
}

function wireRace(profile: Profile): void {
  const { id, url, kind } = profile.log._trilane;
  const button = find<HTMLButtonElement>("#race");
  const form = find<HTMLFormElement>("#race-form");
  const held = (state: State): boolean => (state.bodies[id]?.until_ms ?? 0) > Date.now();
  const start = async (choice: RaceChoice): Promise<Failure | null> => {
    let raced = id;
    if (!held(await readState())) {
      // Contents are never kept in the history: the page is recorded anew, in a tab of its own.
      const tabId = await openedTab(url);
      if (tabId === null) return { code: "no-page", message: "no tab could be opened", remedy: "try again" };
      const again = await ask({ do: "profile", tabId, cache: "off", keepBodies: true });
      if (!again.ok) return again.error;
      raced = again.profile;
    }
    const started = await ask({ do: "race", profile: raced, ...choice });
    if (!started.ok) return started.error;
    location.href = chrome.runtime.getURL(pages.race(started.race));
    return null;
  };
  if (kind === "imported" || !/^https?:/.test(url)) {
    button.disabled = true;
    button.title = "An imported HAR is raced by the command line: trilane race FILE.har";
  }
  button.addEventListener("click", () =>
    openRaceForm(
      form,
      readState().then((state) => !held(state)),
      start,
    ),
  );
  void watchState((state) => {
    const races = Object.entries(state.races).filter(([, race]) => race.profile === id && isUnderWay(race));
    put(
      find("#racing"),
      html`${races.map(([race, line]) => html`<div class="form"><p>${raceLine(line)} <a href="${chrome.runtime.getURL(pages.race(race))}">Watch</a></p>${laneTracks(line)}</div>`)}`,
    );
  });
}

export function showProfile(main: HTMLElement, profile: Profile): void {
  document.title = `${pageName(profile.log._trilane)} · Trilane`;
  put(main, headMarkup(profile));
  const rows = rowsOf(profile);
  const panel = requestPanel(find("#requests"), profile, rows);
  showShares(
    (by) => sharesOf(rows, by),
    (share) => {
      panel.narrow(share.filter);
      find("#requests-title").scrollIntoView({ block: "nearest" });
    },
  );
  showSortable(find("#hosts"), hostsTable(profile));
  const { videos } = profile.log._trilane;
  if (videos && hasVideos(profile.log._trilane)) showSortable(find("#videos"), videosTable(videos));
  showCompare(profile);
  wireExports(main, profile);
  wireRace(profile);
  // On paper all requests are drawn, not those in sight.
  addEventListener("beforeprint", () =>
    put(
      find("#on-paper"),
      html`${waterfallSvg([drawnProfile(profile)], html`role="img" aria-label="Waterfall"`)}${phaseLegend()}<figcaption>Every request by phase, in the order of their beginning. Lines: first byte, paints, DOMContentLoaded; strong: load event. Receiving is strong while bytes came.</figcaption>`,
    ),
  );
}
