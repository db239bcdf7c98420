// Fetches that failed, and those that were left out because the machine disturbed them, by reason. Takes attempts, computes nothing but
// how many there are.

import { html, type Markup } from "../../../../extension/figures/markup.ts";
import { middleCut } from "../../../base/middle_cut.ts";
import { count } from "../../../base/numbers.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import { byFrequency } from "../../../report/instrument_report.ts";
import { hostOf, reasonInWords } from "../metrics/fetched.ts";
import type { StoredFetch } from "../store/fetch_runs.ts";

const mostReasons = 80;

function reasonOf(of: StoredFetch): { readonly stage: string; readonly reason: string } {
  const { record, reasons } = of;
  if (record?.error) return { stage: record.error.stage, reason: reasonInWords(record.error.reason, of) };
  return { stage: "", reason: reasons[0] ?? "no reason was given" };
}

const overWhat = ({ lane, tls, ip }: StoredFetch): string => `${lane}, TLS ${tls}, IPv${ip}`;

/** Null: every attempt came whole. */
export function failuresTable(fetches: readonly StoredFetch[]): Markup | null {
  const left = fetches.filter(({ status }) => status !== "valid");
  if (left.length === 0) return null;
  const groups = byFrequency(left, (each) => {
    const { stage, reason } = reasonOf(each);
    return [each.status, stage, reason.replaceAll(/\d+/g, "N")];
  });
  const rows = groups.slice(0, mostReasons).map((of) => {
    const [first] = of;
    const { stage, reason } = reasonOf(first);
    const hosts = [...new Set(of.map(({ object }) => hostOf(object)))];
    const lanes = [...new Set(of.map(({ lane }) => lane))];
    return html`<tr><td class="status">${first.status}</td><td>${stage}</td><td class="reason">${middleCut(reason, 160)}</td><td class="num">${String(of.length)}</td><td>${lanes.join(", ")}</td><td>${hosts.slice(0, 4).map((host, index) => `${index > 0 ? ", " : ""}${middleCut(host, 50)}`)}${hosts.length > 4 && `, and ${hosts.length - 4} more`}</td></tr>`;
  });
  const failed = left.filter(({ status }) => status === "failed").length;
  const figure = html`<figure><p class="soft">${count(failed, "fetch", "fetches")} failed: the object did not come, which is a result and is not tried again. ${count(left.length - failed, "fetch is", "fetches are")} invalid: the machine disturbed ${left.length - failed === 1 ? "it" : "them"}, and ${left.length - failed === 1 ? "it does" : "they do"} not count.</p><div class="scroll"><table class="sortable"><thead><tr><th scope="col">status</th><th scope="col">stage</th><th scope="col">reason</th><th scope="col" class="num">fetches</th><th scope="col">lanes</th><th scope="col">hosts</th></tr></thead><tbody>${rows}</tbody></table></div></figure>`;
  return savedFigure(figure, {
    name: ["failures"],
    columns: ["status", "stage", "reason", "object", "over", "link", "repetition"],
    rows: left.map((each) => {
      const { stage, reason } = reasonOf(each);
      return [each.status, stage, reason, each.object, overWhat(each), each.link, each.block + 1];
    }),
  });
}
