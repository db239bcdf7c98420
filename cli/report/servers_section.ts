// Which programs served in front of trilane-replay: version, build, configuration, and what CPU time they took. Nothing if none did.
import { html, type Markup } from "../../extension/figures/markup.ts";
import { labelParts } from "../base/lanes.ts";
import { median } from "../base/quantile.ts";
import { sortLanes } from "../results/verdict/sample.ts";
import type { ShownFacts } from "./data.ts";
import { variants } from "./variants.ts";

const cpuWords = (facts: readonly ShownFacts[]): string => {
  const times_ms = facts.flatMap(({ server }) => server?.cpu_ms ?? []);
  return times_ms.length === 0 ? "not known" : `${median(times_ms).toFixed(1)} ms`;
};

function serverRow(name: string, facts: readonly ShownFacts[]): Markup {
  const lanes = sortLanes(facts.map(({ label }) => label)).map((label) => {
    const own = facts.filter((each) => each.label === label);
    return `${labelParts(label)?.lane ?? label} ${cpuWords(own)}`;
  });
  const version = variants(facts, ({ server }) =>
    server?.live ? "live servers" : `${server?.program ?? "a command"} ${server?.version ?? ""}`.trim(),
  );
  return html`<tr><th scope="row">${name}</th><td>${version}</td><td>${lanes.join(", ")}</td></tr>`;
}

function configurationOf(name: string, facts: readonly ShownFacts[]): Markup {
  const texts = new Set(
    facts.flatMap(({ server }) => (server ? [`# ${server.command}\n${server.configuration ?? ""}`] : [])),
  );
  return html`<details><summary>Build and configuration of ${name}</summary><p>Build: ${variants(facts, ({ server }) => server?.build ?? "it does not say")}</p>${[...texts].map((text) => html`<pre>${text}</pre>`)}</details>`;
}

export function serversSection(facts: readonly ShownFacts[]): Markup | null {
  const served = Map.groupBy(
    facts.filter(({ server }) => server),
    ({ server }) => server?.name ?? "",
  );
  if (served.size === 0) return null;
  const rows = [...served].map(([name, of]) => serverRow(name, of));
  const programs = [...served].filter(([, of]) => !of.some(({ server }) => server?.live));
  return html`<h3>Servers in the lanes</h3>${programs.length > 0 && html`<p>A lane such as h2+nginx was served by that program: it ended TLS and HTTP on the recorded addresses and fetched from trilane-replay, which has bodies and think times. Its own buffers, pacing and priorities applied; congestion control and initial window were trilane-replay’s. Lanes without a server’s name were served by trilane-replay alone.</p>`}${programs.length < served.size && html`<p>Lanes with +live were loaded from the page’s own servers. Their software and settings are not known, and their lanes are verified by the browser’s word alone.</p>`}
<div class="scroll"><table class="facts"><thead><tr><th scope="col">server</th><th scope="col">program</th><th scope="col">CPU time of a load, by lane</th></tr></thead><tbody>${rows}</tbody></table></div>${programs.map(([name, of]) => configurationOf(name, of))}`;
}
