// How the origins served, and what carried it: think time, origins, TLS, and each setting of TCP beside QUIC's.
import { html, type Markup } from "../../extension/figures/markup.ts";
import type { LoadFacts } from "../../schemas/generated/page_load.ts";
import { isLane, laneFamily } from "../base/lanes.ts";
import { count } from "../base/numbers.ts";
import { settleServing } from "../load/serving/serving.ts";
import { type Setting, settings } from "../load/serving/settings.ts";
import { servingTerms, thinkName } from "../load/serving/terms.ts";
import { sortLanes } from "../results/verdict/sample.ts";
import type { ShownFacts } from "./data.ts";
import { field, type Json, numberAt } from "./figures/unknown_json.ts";
import { variants } from "./variants.ts";

const unavailable = "unavailable: no report";

const text = (value: Json, unit = ""): string =>
  value === undefined ? unavailable : `${typeof value === "string" ? value : JSON.stringify(value)}${unit}`;

const yesNo = (value: Json, yes: string, no: string): string =>
  value === true ? yes : value === false ? no : unavailable;

type Of = (transport: Json) => string;
type TableRow = readonly [name: string, tcp: Of, quic: Of];

/** What the report says of a setting's value. Reports of before there was a choice do not have it. */
function cell({ name, row }: Setting): Of {
  return (transport) => {
    const value = field(transport, name);
    if (value === undefined) return unavailable;
    const words = new Map<string, string>(Object.entries(row ?? {})).get(JSON.stringify(value));
    if (typeof value === "boolean" || value === null) return words ?? unavailable;
    return (row?.value ?? "{}").replace("{}", text(value));
  };
}

const settingRows: readonly TableRow[] = [
  ...Map.groupBy(
    settings.filter(({ row }) => row),
    ({ row }) => row?.name ?? "",
  ),
].map(([name, both]) => {
  const other = (): string => both.find(({ row }) => row?.other)?.row?.other ?? unavailable;
  const of = (protocol: Setting["protocol"]): Of => {
    const setting = both.find((each) => each.protocol === protocol);
    return setting ? cell(setting) : other;
  };
  return [name, of("tcp"), of("quic")];
});

/** What no one can set, or is reported by another name than it is set by, after the row of the setting it belongs to. */
const moreRows: Readonly<Record<string, readonly TableRow[]>> = {
  "congestion control": [
    [
      "a reduction is undone",
      () => "where timestamps or DSACK show that it was wrong",
      (quic) => yesNo(field(quic, "reductions_taken_back"), "also when few packets were lost", "never"),
    ],
  ],
  "receive buffer": [
    [
      "largest piece",
      (tcp) => `TLS record of ${text(field(tcp, "tls_record_bytes"), " bytes")}`,
      (quic) => `datagram of ${text(field(quic, "max_udp_payload"), " bytes")}`,
    ],
    [
      "kept unsent by the kernel",
      (tcp) =>
        field(tcp, "notsent_lowat_bytes") === null
          ? "what the socket's buffer takes"
          : `at most ${text(field(tcp, "notsent_lowat_bytes"), " bytes")}`,
      () => "nothing",
    ],
  ],
  "handed to the kernel": [
    [
      "carried over from earlier connections",
      (tcp) => yesNo(field(tcp, "metrics_saved"), "the path's metrics", "nothing"),
      () => "nothing",
    ],
  ],
};

const rows = settingRows.flatMap((row) => [row, ...(moreRows[row[0]] ?? [])]);

/** The setting's value, and where recorded think times are requested, for how many requests there were none. */
function termOf(name: string): (facts: LoadFacts) => string {
  return ({ serving, replay }) => {
    const settled = settleServing(serving);
    const value = new Map(servingTerms(settled)).get(name) ?? "";
    const unknown = numberAt(replay, "counts", "think_unknown") ?? 0;
    if (name !== thinkName || settled.think !== "recorded" || unknown === 0) return value;
    return `${value}; ${count(unknown, "request")} answered at once, as no time was recorded`;
  };
}

/** A column of the table of transports: what it is of, and of which loads. */
interface Column {
  readonly head: string;
  readonly kind: "tcp" | "quic";
  readonly facts: readonly ShownFacts[];
}

/** TCP's and QUIC's; where lanes have settings of their own, each lane's. */
function columnsOf(facts: readonly ShownFacts[]): Column[] {
  if (facts.every(({ label }) => isLane(label)))
    return [
      { head: "TCP (h1, h2)", kind: "tcp", facts },
      { head: "QUIC (h3)", kind: "quic", facts },
    ];
  return sortLanes(facts.map(({ label }) => label)).map((label) => {
    const kind = laneFamily(label) === "h3" ? "quic" : "tcp";
    return {
      head: `${label} (${kind === "quic" ? "QUIC" : "TCP"})`,
      kind,
      facts: facts.filter((each) => each.label === label),
    };
  });
}

export function servingTables(facts: readonly ShownFacts[]): Markup {
  if (facts.length === 0) return html``;
  const terms = servingTerms(settleServing(facts[0]?.serving));
  const columns = columnsOf(facts);
  const said =
    (kind: "tcp" | "quic", [, tcp, quic]: TableRow) =>
    (each: LoadFacts) =>
      each.replay === null ? unavailable : (kind === "tcp" ? tcp : quic)(field(each.replay, "transport", kind));
  return html`<h3>Servers and transports</h3><table class="facts"><caption>How the origins were asked to serve.</caption><tbody>${terms.map(([name]) => html`<tr><th scope="row">${name}</th><td>${variants(facts, termOf(name))}</td></tr>`)}</tbody></table>
<div class="scroll"><table class="transports"><caption>What carried it, as the servers reported it.</caption><thead><tr><th scope="col">setting</th>${columns.map(({ head }) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows.map((row) => html`<tr><th scope="row">${row[0]}</th>${columns.map((column) => html`<td>${variants(column.facts, said(column.kind, row))}</td>`)}</tr>`)}</tbody></table></div>`;
}
