// `trilane fetch --dry-run`: what a plan would fetch, how long that takes and how its hosts are treated. Asks no server, stores nothing.
import type { FetchesPlanned } from "../../../../schemas/generated/fetches_planned.ts";
import { count } from "../../../base/numbers.ts";
import { paragraph } from "../../../base/wrapped_text.ts";
import { linksOf } from "../../../engine/export.ts";
import { testGuess_ms } from "../../../engine/link_tests.ts";
import { pageName } from "../../../sweep/plan/page_patterns.ts";
import { formatDuration } from "../../../sweep/progress/progress_lines.ts";
import { guessFetch_ms, type KnownSizes } from "./fetch_order.ts";
import { hostOf } from "./objects.ts";
import { blocksOf, type FetchPlan, fetchCellsOf, variantsOf } from "./plan.ts";

export function describeFetches(plan: FetchPlan, sizes: KnownSizes = new Map()): FetchesPlanned {
  const cells = fetchCellsOf(plan);
  const links = linksOf(cells);
  const tests_ms = links.reduce((sum, { link_profile }) => sum + testGuess_ms(link_profile), 0);
  const fetches_ms = cells.reduce((sum, cell) => sum + guessFetch_ms(plan, cell, sizes), 0) * blocksOf(plan);
  return {
    event: "fetches-planned",
    name: plan.name,
    objects: plan.objects.length,
    hosts: new Set(plan.objects.map(hostOf)).size,
    variants: variantsOf(plan) as FetchesPlanned["variants"],
    links: links.map(({ link }) => link),
    page: plan.page === undefined ? null : pageName(plan.page),
    fetches: cells.length * blocksOf(plan),
    pause_ms: links.length > 0 ? null : plan.pause_ms,
    expected_s: Math.round((tests_ms + fetches_ms) / 1000),
  };
}

function variantWords({ lane, tls, ip }: FetchesPlanned["variants"][number]): string {
  return `${lane}${tls === "1.2" ? " (TLS 1.2)" : ""}${ip === 6 ? " (IPv6)" : ""}`;
}

/** The plan for people, within 80 columns. */
export function fetchPlanLines(plan: FetchPlan, planned: FetchesPlanned): string[] {
  const { name, objects, hosts, variants, links, page, fetches, pause_ms, expected_s } = planned;
  const each = `${count(objects, "object")} x ${variants.length}${links.length > 1 ? ` x ${count(links.length, "link")}` : ""}`;
  return [
    ...paragraph("plan", name),
    ...(plan.description ? paragraph("asks", plan.description) : []),
    ...(plan.reference ? paragraph("after", plan.reference) : []),
    ...paragraph("objects", `${objects} of ${count(hosts, "host")}${page === null ? "" : `, of ${page}'s recording`}`),
    ...paragraph("over", variants.map(variantWords).join(", ")),
    ...(links.length > 0 ? paragraph("links", `${links.length}: ${links.join(" ")}`) : []),
    ...(pause_ms === null ? [] : paragraph("manners", `one fetch at a time, ${pause_ms} ms between two from one host`)),
    ...paragraph(
      "size",
      `${each} x ${count(plan.repetitions, "repetition")}${plan.syscalls > 0 ? `, and ${plan.syscalls} to count system calls` : ""} = ${count(fetches, "fetch", "fetches")}`,
    ),
    ...paragraph("time", `about ${formatDuration(expected_s)}`),
  ];
}
