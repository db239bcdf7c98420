// `trilane fetch --dry-run`: what a plan would fetch, how long that takes and how its hosts are treated. Asks no server, stores nothing.
import type { FetchesPlanned } from "../../../../schemas/generated/fetches_planned.ts";
import { count } from "../../../base/numbers.ts";
import { paragraph } from "../../../base/wrapped_text.ts";
import { linksOf } from "../../../engine/export.ts";
import { testGuess_ms } from "../../../engine/link_tests.ts";
import type { PageSize } from "../../../sweep/plan/estimate.ts";
import { pageName } from "../../../sweep/plan/page_patterns.ts";
import { limitWords, ruledSize } from "../../../sweep/plan/until.ts";
import { formatDuration } from "../../../sweep/progress/progress_lines.ts";
import { variantWords } from "../metrics/fetched.ts";
import { guessFetch_ms, type KnownSizes } from "./fetch_order.ts";
import { hostOf } from "./objects.ts";
import type { PlannedFetches } from "./page.ts";
import { blocksOf, type FetchPlan, fetchCellsOf, variantsOf } from "./plan.ts";

/** In place of a page's objects, which are known once it is made: as many, of equal size. */
function standIns(plan: FetchPlan, { exchanges, body_bytes }: PageSize): { plan: FetchPlan; sizes: KnownSizes } {
  const objects = Array.from({ length: exchanges }, (_, index) => `object ${index}`);
  return { plan: { ...plan, objects }, sizes: new Map(objects.map((object) => [object, body_bytes / exchanges])) };
}

/** The plan with its objects, or what stands for them. */
export const withObjects = ({ unmade, ...known }: PlannedFetches) => (unmade ? standIns(known.plan, unmade) : known);

export function describeFetches(planned: PlannedFetches): FetchesPlanned {
  const { plan, sizes } = withObjects(planned);
  const { unmade } = planned;
  const cells = fetchCellsOf(plan);
  const links = linksOf(cells);
  const tests_ms = links.reduce((sum, { link_profile }) => sum + testGuess_ms(link_profile), 0);
  const fetches_ms = cells.reduce((sum, cell) => sum + guessFetch_ms(plan, cell, sizes), 0) * blocksOf(plan);
  return {
    event: "fetches-planned",
    name: plan.name,
    objects: plan.objects.length,
    hosts: unmade ? null : new Set(plan.objects.map(hostOf)).size,
    variants: variantsOf(plan) as FetchesPlanned["variants"],
    links: links.map(({ link }) => link),
    page: plan.page === undefined ? null : pageName(plan.page),
    fetches: cells.length * blocksOf(plan),
    pause_ms: links.length > 0 ? null : plan.pause_ms,
    expected_s: Math.round((tests_ms + fetches_ms) / 1000),
  };
}

const fetchRule = { compared: "each difference between lanes", known: "each lane's median" };

/** The plan for people, within 80 columns. */
export function fetchPlanLines(plan: FetchPlan, planned: FetchesPlanned): string[] {
  const { name, objects, hosts, variants, links, page, fetches, pause_ms, expected_s } = planned;
  const of = hosts === null ? "" : ` of ${count(hosts, "host")}`;
  const recorded = hosts === null ? `, all that ${page} has once it is made` : `, of ${page}'s recording`;
  const about = plan.until || hosts === null ? "at most about" : "about";
  const limit = limitWords(plan, "fetches");
  const each = `${count(objects, "object")} x ${variants.length}${links.length > 1 ? ` x ${count(links.length, "link")}` : ""}`;
  return [
    ...paragraph("plan", name),
    ...(plan.description ? paragraph("asks", plan.description) : []),
    ...(plan.reference ? paragraph("after", plan.reference) : []),
    ...paragraph("objects", `${hosts === null ? "at most " : ""}${objects}${of}${page === null ? "" : recorded}`),
    ...paragraph("over", variants.map(variantWords).join(", ")),
    ...(links.length > 0 ? paragraph("links", `${links.length}: ${links.join(" ")}`) : []),
    ...(pause_ms === null ? [] : paragraph("manners", `one fetch at a time, ${pause_ms} ms between two from one host`)),
    ...paragraph(
      "size",
      ruledSize(
        `${each} x ${count(plan.repetitions, "repetition")}${plan.syscalls > 0 ? `, and ${plan.syscalls} to count system calls` : ""} = ${count(fetches, "fetch", "fetches")}`,
        plan.until,
        fetchRule,
      ),
    ),
    ...(limit === null ? [] : paragraph("limit", limit)),
    ...paragraph("time", `${about} ${formatDuration(expected_s)}`),
  ];
}
