// What a race is configured with, in popup and result page: lanes, link, loads, and what becomes of the page's contents, shown
// before anything is recorded. Where the helper is missing, how to install it. Starts nothing itself.
import { usualRuns } from "../../cli/base/interval.ts";
import { allLanes, laneFacts, plainLanes } from "../../cli/base/lanes.ts";
import type { Answers, Failure, HostState, Lane } from "../actions.ts";
import { html, type Markup } from "../figures/markup.ts";
import { credentialsInWords } from "../har/secrets.ts";
import { ask } from "./ask.ts";
import { find, put } from "./put.ts";
import { failureNote } from "./words.ts";

export interface RaceChoice {
  readonly lanes: Lane[];
  readonly link: string;
  readonly runs: number;
  readonly keepCredentials: boolean;
}

type Links = Answers["links"]["links"];

const otherLink = "other";
const choiceKey = "raceChoice";
const nativeMessaging = { permissions: ["nativeMessaging"] } satisfies chrome.permissions.Permissions;

// Said before a recording. A replay finds its answers by URL and body, so that these cannot be crossed out.
const handedOver =
  "form data and response bodies go unchanged to trilane-host on this machine. They can hold personal data, and passwords or tokens. Nothing leaves the machine.";
const recordingWords = {
  again: `The page is loaded once more. Its addresses, ${handedOver}`,
  kept: `The page's addresses, ${handedOver}`,
};

/**
 * Requested when first needed, at a click: the browser shows its own question. False too where it would not ask, because the click is too
 * long ago: the hint has a button. Firefox takes the request only from the click itself, before anything is awaited.
 */
async function mayUseHost(): Promise<boolean> {
  const given = chrome.permissions.request(nativeMessaging).catch(() => false);
  return (await given) || (await chrome.permissions.contains(nativeMessaging));
}

const worksWithout = html`<p class="soft">Profiles, their history and their exports work without it.</p>`;

const permissionHint = html`<div class="note" role="status"><p><b>To race pages, Trilane must be allowed to talk to its helper on this machine.</b></p><p>The browser asks whether it may “communicate with cooperating native applications”: <button type="button" class="retry">ask again, and go on</button></p>${worksWithout}</div>`;

// A service worker that was started before the permission was given never gets what it is for, and cannot end itself.
const restartHint = html`<div class="note" role="status"><p><b>Trilane may talk to its helper once it has restarted.</b></p><p><button type="button" class="restart">Restart</button> This closes Trilane's pages; press its toolbar button again afterwards.</p></div>`;

/** Two lines that a stranger can follow. */
function hostHint(host: Exclude<HostState, { state: "ready" }>): Markup {
  if (host.state !== "missing") return failureNote(host);
  if (host.code === "host-permission") return restartHint;
  return html`<div class="note" role="status"><p><b>Racing needs Trilane's helper on this machine.</b> To install it:</p><p>1. Get Trilane and run <code>npm run setup</code> in its folder.</p><p>2. Run <code>npx trilane install-host</code> there, then <button type="button" class="plain retry">try again</button>.</p><p class="soft">A browser from a snap or Flatpak starts no program of this machine.</p>${worksWithout}</div>`;
}

function linkOption(link: Links[number], chosen: string): Markup {
  const value = link.name ?? link.form;
  return html`<option value="${value}"${value === chosen && html` selected`}>${value}: ${link.summary}</option>`;
}

function formMarkup(links: Links, choice: RaceChoice, words: string, action: string): Markup {
  const lanes = allLanes.map(
    (lane) =>
      html`<label title="${laneFacts[lane].title}"><input type="checkbox" name="lane" value="${lane}"${choice.lanes.includes(lane) && html` checked`}/>${lane}</label>`,
  );
  const groups = Map.groupBy(links, (link) => link.source ?? "Others");
  const known = links.some((link) => (link.name ?? link.form) === choice.link);
  const options = [...groups].map(
    ([source, members]) =>
      html`<optgroup label="${source}">${members.map((link) => linkOption(link, choice.link))}</optgroup>`,
  );
  return html`<fieldset><legend>Lanes</legend><div class="row">${lanes}</div></fieldset>
<div class="row"><label>Link <select name="link">${options}<option value="${otherLink}"${!known && html` selected`}>another one …</option></select></label>
<label>Loads of each lane <input name="runs" type="number" min="1" max="100" required size="4" value="${String(choice.runs)}"/></label></div>
<p class="other"${known && html` hidden`}><label>Link <input name="form" placeholder="3mbit/50ms,loss=1%" value="${known ? "" : choice.link}" spellcheck="false"/></label></p>
<p class="note">${words}</p>
<label class="line"><input type="checkbox" name="credentials"/><span>Keep cookies and authorization too <small>(otherwise the values of ${credentialsInWords} are masked)</small></span></label>
<div class="row"><button class="main" type="submit">${action}</button><button type="button" class="close">Not now</button></div><div class="trouble"></div>`;
}

async function lastChoice(): Promise<RaceChoice> {
  const kept = (await chrome.storage.local.get(choiceKey))[choiceKey] as Partial<RaceChoice> | undefined;
  // Keeping credentials is chosen each time.
  return { lanes: [...plainLanes], link: "3g", runs: usualRuns, ...kept, keepCredentials: false };
}

function chosen(form: HTMLFormElement): RaceChoice | Failure {
  const data = new FormData(form);
  const text = (name: string): string => String(data.get(name) ?? "").trim();
  const lanes = allLanes.filter((lane) => data.getAll("lane").includes(lane));
  const link = text("link") === otherLink ? text("form") : text("link");
  const runs = Number(text("runs"));
  if (lanes.length === 0) return wrong("no lane is chosen", "choose at least one, two to compare");
  if (link === "") return wrong("no link is given", "enter one such as 3mbit/50ms, or choose a named one");
  if (!Number.isInteger(runs) || runs < 1 || runs > 100)
    return wrong("loads must be 1 to 100", "9 are usual: an interval needs 5, and some loads may be invalid");
  return { lanes, link, runs, keepCredentials: data.get("credentials") !== null };
}

function wrong(message: string, remedy: string): Failure {
  return { code: "malformed", message, remedy };
}

/**
 * Shows the form in this element, or how to get the helper. `again`: the page's contents are not in memory, so that it
 * must be loaded once more. `start` answers with what went wrong, or null; the form comes back for the former.
 */
export async function openRaceForm(
  place: HTMLFormElement,
  again: boolean | Promise<boolean>,
  start: (choice: RaceChoice) => Promise<Failure | null>,
): Promise<void> {
  place.hidden = false;
  put(place, html`<p class="soft" role="status">Asking for trilane-host …</p>`);
  const retry = (hint: Markup): void => {
    put(place, html`${hint}<p><button type="button" class="close">Not now</button></p>`);
    for (const button of place.querySelectorAll<HTMLElement>(".retry"))
      button.addEventListener("click", () => void openRaceForm(place, again, start), { once: true });
    place.querySelector(".restart")?.addEventListener("click", () => chrome.runtime.reload());
    wireClose(place);
  };
  if (!(await mayUseHost())) return retry(permissionHint);
  const host = await ask({ do: "host" });
  if (!host.ok) return retry(failureNote(host.error));
  if (host.host.state !== "ready") return retry(hostHint(host.host));
  const links = await ask({ do: "links" });
  if (!links.ok) return retry(failureNote(links.error));
  const isAgain = await again;
  const words = isAgain ? recordingWords.again : recordingWords.kept;
  put(place, formMarkup(links.links, await lastChoice(), words, isAgain ? "Record and race" : "Race"));
  wireClose(place);
  const other = find(".other", place);
  find<HTMLSelectElement>("[name=link]", place).addEventListener("change", ({ currentTarget }) => {
    other.hidden = (currentTarget as HTMLSelectElement).value !== otherLink;
  });
  find<HTMLInputElement>("[name=lane]", place).focus();
  place.onsubmit = async (event) => {
    event.preventDefault();
    const button = find<HTMLButtonElement>("button.main", place);
    const choice = chosen(place);
    if ("code" in choice) return put(find(".trouble", place), failureNote(choice));
    button.disabled = true;
    const { keepCredentials: _, ...kept } = choice;
    await chrome.storage.local.set({ [choiceKey]: kept });
    // What happens now stands where the state is shown; the form comes back where it failed.
    place.hidden = true;
    const failure = await start(choice);
    if (!failure) return;
    button.disabled = false;
    place.hidden = false;
    put(find(".trouble", place), failureNote(failure));
  };
}

function wireClose(place: HTMLFormElement): void {
  find(".close", place).addEventListener("click", () => {
    place.hidden = true;
    place.dispatchEvent(new CustomEvent("closed"));
  });
}
