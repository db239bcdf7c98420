// All profiles and races that are kept, how much room they take, and how to remove them.
import { formatSize, formatTime } from "../../../cli/base/numbers.ts";
import { pages } from "../../actions.ts";
import { html, type Markup } from "../../figures/markup.ts";
import { clearHistory, listProfiles, listRaces, removeProfile, removeRace, usage } from "../../history/history.ts";
import { watchHistory } from "../ask.ts";
import { on, put } from "../put.ts";
import { dateTime, pageName } from "../words.ts";

interface Kept {
  readonly what: "profile" | "race";
  readonly id: string;
  readonly started: string;
  readonly name: string;
  readonly href: string;
  readonly text: string;
  readonly size_bytes: number;
}

async function kept(): Promise<Kept[]> {
  const [profiles, races] = await Promise.all([listProfiles(), listRaces()]);
  const all: Kept[] = [
    ...profiles.map((row) => ({
      ...row,
      what: "profile" as const,
      name: pageName(row),
      href: pages.result(row.id),
      text: `${row.plt_ms === null ? "no PLT" : `PLT ${formatTime(row.plt_ms)}`}, ${row.requests} requests${row.kind === "reload" ? "" : `, ${row.kind}`}`,
    })),
    ...races.map((row) => ({
      ...row,
      what: "race" as const,
      href: pages.race(row.id),
      text: `${row.lanes.join(", ")} over ${row.link}: ${row.outcome}`,
    })),
  ];
  return all.toSorted((a, b) => (a.started < b.started ? 1 : -1));
}

async function markup(): Promise<Markup> {
  const [all, used] = await Promise.all([kept(), usage()]);
  const share = Math.min(1, used.bytes / used.limit_bytes);
  const rows = all.map(
    ({ what, id, started, name, href, text, size_bytes }) =>
      html`<tr><th scope="row"><a href="${chrome.runtime.getURL(href)}">${name}</a></th><td>${what}</td><td>${text}</td><td>${dateTime(started)}</td><td class="num">${formatSize(size_bytes)}</td><td><button type="button" class="plain remove" data-what="${what}" data-id="${id}" aria-label="Remove ${what} ${name}">remove</button></td></tr>`,
  );
  const table =
    all.length === 0
      ? html`<p>Nothing yet. Open a page and click Trilane's button, or open a HAR file above.</p>`
      : html`<div class="scroll"><table><thead><tr><th scope="col">page</th><th scope="col">what</th><th scope="col">result</th><th scope="col">when</th><th scope="col" class="num">size</th><th scope="col"><span class="unseen">remove</span></th></tr></thead><tbody>${rows}</tbody></table></div>`;
  return html`<h1>Profiles and races</h1>${table}
<p class="row"><label>Space used <meter min="0" max="1" value="${share.toFixed(3)}"></meter></label><span class="number">${formatSize(used.bytes)} of ${formatSize(used.limit_bytes)}</span>${all.length > 0 && html`<button type="button" id="clear">Remove all</button>`}</p>
<p class="soft">Beyond the limit, the oldest are deleted. Everything stays in this browser, without page contents. trilane-host keeps races: <code>trilane remove --everything</code> removes those too.</p>`;
}

export async function showHistory(main: HTMLElement): Promise<void> {
  document.title = "Profiles and races · Trilane";
  const show = async (): Promise<void> => put(main, await markup());
  on(main, "click", ".remove", async ({ dataset: { what, id = "" } }) => {
    await (what === "race" ? removeRace(id) : removeProfile(id));
    await show();
  });
  // No dialog: the button asks once more by itself.
  on(main, "click", "#clear", async (button) => {
    if (button.dataset.sure !== "yes") {
      button.dataset.sure = "yes";
      button.textContent = "Really remove all?";
      return;
    }
    await clearHistory();
    await show();
  });
  watchHistory(() => void show());
  await show();
}
