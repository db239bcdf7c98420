// How phases look beside their colour: heights and hatches tell them apart in grey and for colour-blind readers.
import { type PhaseKey, phases } from "./colours.ts";
import { html, type Markup } from "./markup.ts";

/** Heights as shares of the bar: shape distinguishes phases where colour does not. */
export const shapes: Readonly<Record<PhaseKey, { from: number; to: number }>> = {
  blocked: { from: 0.4, to: 0.6 },
  dns: { from: 0, to: 1 },
  connect: { from: 0, to: 1 },
  ssl: { from: 0, to: 1 },
  send: { from: 0.1, to: 0.9 },
  wait: { from: 0.22, to: 0.78 },
  receive: { from: 0, to: 1 },
};
export const hatched: ReadonlySet<PhaseKey> = new Set(["dns", "connect", "ssl"]);

/** What colours and shapes of a waterfall mean. */
export function phaseLegend(): Markup {
  const step = 82;
  const items = phases.map(({ key, label }, index) => {
    const { from, to } = shapes[key];
    const [x, y, h] = [index * step, 3 + 12 * from, 12 * (to - from)];
    const base = html`<rect class="ph-${key}" x="${x}" y="${y}" width="22" height="${h}"/>`;
    const hatch =
      hatched.has(key) && html`<rect fill="url(#hatch-${key})" x="${x}" y="${y}" width="22" height="${h}"/>`;
    return html`${base}${hatch}<text class="axis" x="${x + 27}" y="13">${label}</text>`;
  });
  return html`<svg class="legend" width="${step * phases.length}" height="18" viewBox="0 0 ${step * phases.length} 18" role="img" aria-label="Phases in order: ${phases.map((phase) => phase.label).join(", ")}">${items}</svg>`;
}

/** The patterns that every waterfall refers to: once in a document. */
export function hatchPatterns(): Markup {
  const lines: Record<string, string> = { dns: "M0 2h4", connect: "M0 4l4 -4", ssl: "M0 0l4 4" };
  const patterns = [...hatched].map(
    (key) =>
      html`<pattern id="hatch-${key}" width="4" height="4" patternUnits="userSpaceOnUse"><path class="hatch" d="${lines[key]}"/></pattern>`,
  );
  return html`<svg class="defs" width="0" height="0" aria-hidden="true"><defs>${patterns}</defs></svg>`;
}
