// The result page: ?profile=ID shows a profile, &with=ID2 a second one beside it, and without either all that is kept. A HAR
// file can be opened from each.
import { pages } from "../../actions.ts";
import { html, type Markup } from "../../figures/markup.ts";
import { hatchPatterns } from "../../figures/phase_shapes.ts";
import { importHar } from "../../har/import.ts";
import { getProfile, putProfile } from "../../history/history.ts";
import { add, addColours, find, put } from "../put.ts";
import { failureNote, logo } from "../words.ts";
import { showBoth } from "./compare_page.ts";
import { showHistory } from "./history_page.ts";
import { showProfile } from "./profile_page.ts";

const home = chrome.runtime.getURL("views/result/result.html");

function missing(): Markup {
  return html`${failureNote({ code: "no-profile", message: "this profile was removed from the history", remedy: "profile the page again" })}<p><a href="${home}">History</a></p>`;
}

async function show(main: HTMLElement): Promise<void> {
  const parameters = new URLSearchParams(location.search);
  const [id, other] = [parameters.get("profile"), parameters.get("with")];
  if (!id) return showHistory(main);
  const [profile, second] = await Promise.all([getProfile(id), other ? getProfile(other) : null]);
  if (!profile || (other && !second)) return put(main, missing());
  if (second) showBoth(main, profile, second);
  else showProfile(main, profile);
}

/** The file becomes a profile like any other. */
async function open(file: File): Promise<void> {
  const imported = importHar(await file.text(), file.name);
  if ("error" in imported) return add(find("#main"), "before", failureNote(imported.error));
  await putProfile(imported.profile);
  location.href = chrome.runtime.getURL(pages.result(imported.profile.log._trilane.id));
}

addColours();
put(find("#brand"), html`${logo}<a href="${home}">Trilane</a>`);
put(find("#patterns"), hatchPatterns());
const input = find<HTMLInputElement>("#import");
input.addEventListener("change", () => {
  const file = input.files?.[0];
  input.value = "";
  if (file) void open(file);
});
await show(find("#main"));
document.documentElement.dataset.ready = "yes";
