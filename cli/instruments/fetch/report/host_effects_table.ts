// Hosts that one protocol helps or hurts, a dot and whisker each, the most helped first and the most hurt last. Takes effects, computes none.
import { html, type Markup } from "../../../../extension/figures/markup.ts";
import { middleCut } from "../../../base/middle_cut.ts";
import { count, formatPercents, formatProbability, percentRange, withMinus } from "../../../base/numbers.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import { readingKey } from "../../../report/figures/parts.ts";
import { effectMark, marksEnd } from "../../../report/figures/whisker.ts";
import type { HostEffect, HostEffects, PairSide } from "../answer/host_effects.ts";
import { isQuic } from "../metrics/fetched.ts";
import { quantities } from "../metrics/quantities.ts";

/** Of each end of a longer list. */
const mostOfEnd = 10;

const sideName = ({ lane, tls }: PairSide): string =>
  isQuic(lane) || tls === "1.3" ? lane : `${lane} with TLS ${tls}`;

function effectText({ percent, interval }: HostEffect): string {
  const text = formatPercents(percent, interval);
  return withMinus(`${text.percent} %${interval ? ` (${percentRange(text)})` : ""}`);
}

/** `12 of 40 hosts are helped, 3 are hurt, 25 show no difference`; or that nothing can be said, and what would change that. */
function effectsSentence({ pair, quantity, hosts, runsToTell }: HostEffects): string {
  const by = `by ${sideName(pair.lane)} over ${sideName(pair.over)} in ${quantities[quantity].noun}`;
  if (runsToTell !== null) {
    const what = hosts.length === 1 ? "whether the host is" : `which of ${hosts.length} hosts are`;
    return `Too few fetches to tell ${what} helped or hurt ${by} (--runs ${runsToTell}).`;
  }
  const helped = hosts.filter(({ named }) => named === "helped").length;
  const hurt = hosts.filter(({ named }) => named === "hurt").length;
  const rest = hosts.length - helped - hurt;
  const are = (n: number, verb: string): string => `${n} ${n === 1 ? "is" : "are"} ${verb}`;
  const parts = [
    `Of ${count(hosts.length, "host")} ${are(helped, "helped")}`,
    are(hurt, "hurt"),
    `${rest} ${rest === 1 ? "shows" : "show"} no difference`,
  ];
  return `${parts.join(", ")} ${by}.`;
}

/** Some host has a pair. */
export function hostEffectsTable(effects: HostEffects, system: ((host: string) => string) | null): Markup {
  const { pair, quantity, hosts } = effects;
  const name = `${sideName(pair.lane)} over ${sideName(pair.over)}`;
  const end = marksEnd(hosts.map(({ percent }) => percent));
  const isLong = hosts.length > 2 * mostOfEnd;
  const shown = isLong ? [...hosts.slice(0, mostOfEnd), ...hosts.slice(-mostOfEnd)] : hosts;
  const rows = shown.map((host) => {
    const way = host.named === "helped" ? "faster" : host.named === "hurt" ? "slower" : "unclear";
    return html`<tr><th scope="row">${middleCut(host.host, 50)}</th><td class="imp ${way}" data-sort="${String(host.percent)}"><span>${effectText(host)}</span>${effectMark(host, way, end)}</td><td class="num">${String(host.pairs)}</td><td class="num" data-sort="${String(host.holm ?? "")}">${host.holm === null ? "–" : formatProbability(host.holm)}</td><td>${host.named ?? (host.tooFew ? "too few fetches" : "no difference shown")}</td>${system && html`<td>${middleCut(system(host.host), 50)}</td>`}</tr>`;
  });
  const figure = html`<figure><h3>${name}: ${quantities[quantity].noun}</h3><p>${effectsSentence(effects)}</p><div class="scroll"><table class="sortable helped"><thead><tr><th scope="col">host</th><th scope="col" class="imp">saves</th><th scope="col" class="num">pairs</th><th scope="col" class="num">p (Holm)</th><th scope="col">so</th>${system && html`<th scope="col">autonomous system</th>`}</tr></thead><tbody>${rows}</tbody></table></div><figcaption>How much less ${quantities[quantity].noun} there is over ${sideName(pair.lane)}, with its 95 % interval; each host’s fetches paired by object, link, IP version and repetition.${isLong && ` The ${mostOfEnd} most helped and the ${mostOfEnd} most hurt of ${hosts.length}; all are in the CSV.`}</figcaption>${readingKey("The estimate is the median of the pairs’ ratios, with its interval from order statistics and the test of all other answers, its probability corrected for the number of hosts (Holm). With fewer than five pairs there is no interval, and nothing can be shown; the more hosts there are, the more pairs each needs.")}</figure>`;
  return savedFigure(figure, {
    name: ["hosts", quantity.replace(/_[a-z]+$/, ""), sideName(pair.lane), "over", sideName(pair.over)],
    columns: [
      "lane",
      "over",
      "host",
      "pairs",
      "less_percent",
      "low_percent",
      "high_percent",
      "probability",
      "holm",
      "named",
    ],
    rows: hosts.map(({ host, pairs, percent, interval, probability, holm, named }) => [
      ...[sideName(pair.lane), sideName(pair.over), host, pairs, percent],
      ...[interval?.low ?? null, interval?.high ?? null, probability, holm, named],
    ]),
  });
}
