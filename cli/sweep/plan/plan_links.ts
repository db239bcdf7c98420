// The links of a plan, of pages or of flows: forms, files and grids expanded into profiles with their labels. Reads the files
// that links name.
import type { LinkProfile } from "../../../schemas/generated/link_profile.ts";
import type { Cellular, Grid, PlanLink } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { filesOf, settleFiles, withAbsoluteFiles } from "../../link/files.ts";
import { describeLinks, type Link, readForms, shaperKey } from "../../link/link.ts";
import { namesProfile, readLinks } from "../../link/profile_file.ts";
import type { TraceSource } from "../../link/trace/trace_source.ts";
import { refuseSame } from "./refuse_same.ts";

/** A plan as far as its links are concerned. */
interface LinkedPlan {
  readonly name: string;
  readonly links: readonly PlanLink[];
}

export interface PlannedLink {
  /** Canonical short form, with files by their names: the link's label. */
  readonly link: string;
  readonly link_profile: LinkProfile;
}

/** Forms that name no file, or files by absolute paths: a stored plan means the same from every folder. */
function absoluteForms(links: readonly string[], folder: string): string[] {
  const profiles = readLinks(links, folder).map((profile) => withAbsoluteFiles(profile, folder));
  return describeLinks(profiles).map(({ form, profile }, index) => {
    const written = links[index] ?? form;
    return filesOf(profile).length === 0 && !namesProfile(written) ? written : form;
  });
}

const noTraces: TraceSource = (network) => {
  throw new UserError(`link: cellular ${network} has no traces here: name files, trace_down=FILE,trace_up=FILE`);
};

/** A link for each network and RTT, with traces by absolute paths. */
function cellularForms(cellular: Cellular, traces: TraceSource): string[] {
  const { networks, rtts_ms, queue_ms, length_s, seed = 1 } = cellular;
  const queue = queue_ms === undefined ? "" : `,queue=${queue_ms}ms`;
  return networks.flatMap((network) => {
    const { down, up } = traces(network, { length_s, seed });
    return rtts_ms.map((rtt_ms) => `trace_down=${down},trace_up=${up},rtt=${rtt_ms}ms${queue}`);
  });
}

/**
 * The plan's links with their files by absolute paths; those of its forms are named from `folder`. `traces`: whose traces cellular links
 * have; without it there may be none.
 */
export function absoluteLinks<Links extends readonly PlanLink[]>(
  given: Links,
  folder: string,
  traces: TraceSource = noTraces,
): Links {
  const links = given.flatMap((link): PlanLink[] =>
    typeof link === "object" && "cellular" in link ? cellularForms(link.cellular, traces) : [link],
  );
  const written = links.filter((link) => typeof link === "string");
  const forms = absoluteForms(written, folder).values();
  return links.map((link) => (typeof link === "string" ? forms.next().value : link)) as unknown as Links;
}

/** Counted without expanding a grid. */
export function countLinks({ links }: Pick<LinkedPlan, "links">): number {
  const sizes = links.map((link) => {
    if (typeof link === "string") return 1;
    if ("cellular" in link) return link.cellular.networks.length * link.cellular.rtts_ms.length;
    return link.grid.rates_mbit.length * link.grid.rtts_ms.length * (link.grid.loss ?? [0]).length;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

function gridForms(grid: Grid): string[] {
  return grid.rates_mbit.flatMap((rate_mbit) =>
    grid.rtts_ms.flatMap((rtt_ms) =>
      (grid.loss ?? [0]).map((loss) => `${rate_mbit}mbit/${rtt_ms}ms${loss > 0 ? `,loss=${percent(loss)}%` : ""}`),
    ),
  );
}

/** 0.07 * 100 is 7.000000000000001. */
function percent(share: number): number {
  return Number((share * 100).toPrecision(12));
}

function formsOf(link: PlanLink): string[] {
  if (typeof link === "string") return [link];
  if ("grid" in link) return gridForms(link.grid);
  throw new Error("unreachable: absoluteLinks writes cellular links out");
}

/** With grids expanded, files unread. */
export function expandLinks(plan: LinkedPlan): Link[] {
  return readForms(plan.links.flatMap(formsOf));
}

/** The links of a plan with their grids expanded; files are read. UserError where two are one to the shaper. */
export function linksOf(plan: LinkedPlan): PlannedLink[] {
  const links = expandLinks(plan);
  const forms = links.map(({ form }) => form);
  const profiles = settleFiles(
    links.map(({ profile }) => profile),
    process.cwd(),
  );
  refuseSame(
    profiles.map((profile, index) => ({ name: forms[index] ?? "", key: shaperKey(profile) })),
    `plan ${plan.name}: link`,
  );
  const labels = links.map(({ label }) => label);
  const times = new Map<string, number>();
  for (const label of labels) times.set(label, (times.get(label) ?? 0) + 1);
  // Two files of one name in two folders are two links.
  const labelOf = (label: string, index: number): string => (times.get(label) === 1 ? label : (forms[index] ?? label));
  return profiles.map((link_profile, index) => ({ link: labelOf(labels[index] ?? "", index), link_profile }));
}
