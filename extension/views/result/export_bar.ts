// The export buttons: HAR, CSV, SVG and PNG as files, a summary as Markdown to the clipboard. Credentials, and what is
// secret by its name, stay out of all of them unless the reader asks for them.

import { html, type Markup } from "../../figures/markup.ts";
import { csvText } from "../../har/csv.ts";
import { harText, profileForReaders } from "../../har/har.ts";
import { markdownSummary } from "../../har/markdown.ts";
import { secretNamesInWords } from "../../har/secrets.ts";
import type { Profile } from "../../history/records.ts";
import { find, on } from "../put.ts";
import { picturePng, pictureSvg } from "./picture.ts";

export function exportMarkup(): Markup {
  const button = (as: string, label: string): Markup => html`<button type="button" data-as="${as}">${label}</button>`;
  return html`<div class="row exports" role="group" aria-label="Export"><span>Export</span>${button("har", "HAR")}${button("csv", "CSV")}${button("svg", "SVG")}${button("png", "PNG")}${button("markdown", "Copy as Markdown")}<label title="Else crossed out: the values of cookies and Authorization, and of what is named ${secretNamesInWords} in URLs, headers and forms"><input type="checkbox" name="credentials"/>with cookies, passwords and tokens</label><span class="done soft" role="status"></span></div>`;
}

/** `trilane-example.org-2026-11-21`. */
function fileName({ url, started }: Profile["log"]["_trilane"]): string {
  const host = URL.parse(url)?.host.replace(/[^A-Za-z0-9.-]+/g, "_") || "page";
  return `trilane-${host}-${started.slice(0, 19).replaceAll(":", "")}`;
}

/** Saves through the browser's own download, which needs no permission. */
function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download reads it after the click has returned.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

async function exportAs(as: string, profile: Profile, keepCredentials: boolean): Promise<string> {
  const shown = keepCredentials ? profile : profileForReaders(profile);
  const name = fileName(profile.log._trilane);
  const text = (content: string, type: string, ending: string): string => {
    save(new Blob([content], { type }), `${name}.${ending}`);
    return `Saved ${name}.${ending}`;
  };
  switch (as) {
    case "har":
      return text(harText(profile, { keepCredentials }), "application/json", "har");
    case "csv":
      return text(csvText(shown), "text/csv", "csv");
    case "svg":
      return text(pictureSvg(shown), "image/svg+xml", "svg");
    case "png":
      save(await picturePng(pictureSvg(shown)), `${name}.png`);
      return `Saved ${name}.png`;
    default:
      await navigator.clipboard.writeText(markdownSummary(shown));
      return "Copied";
  }
}

export function wireExports(root: HTMLElement, profile: Profile): void {
  const done = find(".exports .done", root);
  on(root, "click", ".exports [data-as]", async (button) => {
    const keep = find<HTMLInputElement>(".exports [name=credentials]", root).checked;
    try {
      done.textContent = await exportAs(button.dataset.as ?? "", profile, keep);
    } catch (error) {
      done.textContent = `Not done: ${error instanceof Error ? error.message : String(error)}`;
    }
  });
}
