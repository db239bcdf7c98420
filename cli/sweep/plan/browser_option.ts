// `--browser`: which browser loads the pages, or which ones are compared, as an option of race and sweep; and what a plan's browsers
// cannot give, found before there is a sweep.
import { basename } from "node:path";
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { isFactorValue } from "../../base/factors.ts";
import { factorsOf, type Lane, type LaneLabel, labelParts, laneOf, withFactors } from "../../base/lanes.ts";
import type { OptionsOf, OptionTable } from "../../base/option_table.ts";
import { browserProgram, chromiumPath, isProgram } from "../../base/programs.ts";
import { engineOf } from "../../load/engine_of.ts";
import { serverOf } from "../../load/servers/servers.ts";
import { laneServing } from "../../load/serving/serving.ts";
import type { Plan } from "./plan_document.ts";

export type BrowserOptions = OptionsOf<typeof defineBrowser>;

export const defineBrowser = (table: OptionTable<unknown>) =>
  table.option("browser", {
    describe:
      "chromium, firefox or a program's path, or several to compare: chromium,firefox or old=PATH,new=PATH (default: Chromium, or what TRILANE_BROWSER names)",
  });

type BrowserTerms = Pick<SweepPlan, "browser" | "browsers" | "interleaved">;

/** As a plan names it. UserError for one that is not here. */
function planned(word: string): string {
  const program = browserProgram(word);
  return word.includes("/") ? program : word;
}

/** `firefox`, `old=/opt/firefox/firefox`: a name for labels, and what the plan says of it. */
function namedBrowser(word: string): [name: string, browser: string] {
  const [, given, rest = word] = /^([^=/]+)=(.*)$/.exec(word) ?? [];
  const name = given ?? basename(word);
  if (isFactorValue(name)) return [name, planned(rest)];
  throw new UserError(
    `--browser ${word}: ${JSON.stringify(name)} is no name for a lane's browser: give one of at most 16 small letters, digits, dots and hyphens: NAME=${rest}`,
  );
}

/** What a plan says of them; nothing if the option is not given. UserError for browsers that are not here. */
export function browsersOf({ browser }: BrowserOptions): BrowserTerms {
  if (browser === undefined) return {};
  // A path may have a comma.
  const words = isProgram(browser) ? [browser] : browser.split(",").map((word) => word.trim());
  const [only = "", second] = words;
  if (second === undefined) return { browser: planned(only) };
  const named = words.map(namedBrowser);
  const twice = named.find(([name], index) => named.findIndex(([other]) => other === name) < index);
  if (twice) throw new UserError(`--browser ${browser}: two are called ${twice[0]}: name them NAME=${twice[1]}`);
  const programs = named.map(([, program]) => browserProgram(program));
  const same = named.find((_, index) => programs.indexOf(programs[index] ?? "") < index);
  if (same) throw new UserError(`--browser ${browser}: ${same[0]} is the same program as another one: name each once`);
  return { browsers: Object.fromEntries(named) };
}

/** The plan with these browsers in place of its own. */
export function withBrowsers<Document extends Pick<SweepPlan, "lanes"> & BrowserTerms>(
  plan: Document,
  terms: BrowserTerms,
): Document {
  if (Object.keys(terms).length === 0) return plan;
  const { browser, browsers, ...others } = plan;
  const lanes = [...new Set(plan.lanes.map((label) => withFactors(label, { browser: undefined })))];
  return { ...others, lanes, ...terms } as Document;
}

const programOf = (browser: string | undefined): string =>
  browser === undefined ? chromiumPath() : browserProgram(browser);

/** Those that load a lane; of each lane there is one, but for versions that take turns. */
function programsOf({ browser, browsers, interleaved }: BrowserTerms, label: string): readonly string[] {
  if (interleaved?.of === "browsers") return interleaved.browsers;
  const own = factorsOf(label).browser;
  return [programOf(own === undefined ? browser : browsers?.[own])];
}

/** Why a browser has not this lane, whatever else is planned; null: it has it. */
const lacks = (browser: string, lane: Lane): string | null =>
  engineOf(browser).refusal({ lane, frequentAcks: false, hosts: new Map() });

/**
 * One browser's lanes after another's, without those that it lacks; a lane that names its browser stays as it is, and is refused later if
 * that browser lacks it.
 */
export function lanesInBrowsers({ lanes, browsers }: Pick<SweepPlan, "lanes" | "browsers">): LaneLabel[] {
  if (!browsers) return [...lanes];
  // What is no lane is refused later, by its name.
  const staysSo = (label: LaneLabel): boolean => {
    const parts = labelParts(label);
    return parts === null || parts.factors.browser !== undefined;
  };
  const inAll = Object.entries(browsers).flatMap(([name, browser]) =>
    lanes.flatMap((label) =>
      staysSo(label) || lacks(browser, laneOf(label)) !== null ? [] : [withFactors(label, { browser: name })],
    ),
  );
  return [...new Set([...lanes.filter(staysSo), ...inAll])];
}

/** A line for each lane that some of a plan's browsers load and another one lacks. */
export function lackedLanes({ lanes, browsers = {} }: Pick<SweepPlan, "lanes" | "browsers">): string[] {
  const bare = new Set(lanes.map((label) => withFactors(label, { browser: undefined })));
  return [...bare].flatMap((label) => {
    const names = Object.keys(browsers).filter((name) => lacks(browsers[name] ?? "", laneOf(label)) !== null);
    const loading = lanes.filter((each) => withFactors(each, { browser: undefined }) === label);
    const others = loading.flatMap((each) => factorsOf(each).browser ?? []).filter((name) => !names.includes(name));
    return names.length === 0 || others.length === 0
      ? []
      : [`${label}: only in ${others.join(", ")}, as ${names.join(", ")} cannot load it`];
  });
}

/** Whether all of them can be filmed. */
export const canFilm = ({ browser, browsers }: BrowserTerms): boolean =>
  (browsers ? Object.values(browsers) : [browser]).every((named) => engineOf(programOf(named)).films);

/** UserError for a browser that is not here, or cannot do what the plan asks of it. */
export function refuseBrowsers(plan: Plan): void {
  for (const label of plan.lanes) {
    for (const program of programsOf(plan, label)) {
      const refusal = engineOf(program).refusal({
        lane: laneOf(label),
        films: (plan.films ?? 0) > 0 || plan.metric === "si",
        frequentAcks: laneServing(plan, label).client_acks === "frequent",
        hosts: new Map(),
        isLive: serverOf(plan, label)?.definition.live !== undefined,
      });
      if (refusal !== null) throw new UserError(refusal);
    }
  }
}
