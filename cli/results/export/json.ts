// A sweep as one JSON document by schemas/export.schema.json: what was asked, every load, and what they say. No HAR.
import type { Export, ExportedHost } from "../../../schemas/generated/export.ts";
import { traitsByLink } from "../../link/traits.ts";
import type { Cell, FilmedLoad, Host, LinkTest, Load, Sweep } from "../store/results.ts";
import { samplesOf, verdictBy } from "../verdict/compared_metric.ts";
import { compare } from "../verdict/comparison.ts";
import { lanePairs } from "../verdict/sample.ts";

function exportedHost({ name, facts }: Host): ExportedHost {
  const { cpu, cpus, kernel, versions } = facts;
  return { name, cpu, cpus, kernel, browser: [...(versions.chromium ?? [])] };
}

export function exportDocument(
  sweep: Sweep,
  cells: readonly Cell[],
  loads: readonly Load[],
  linkTests: readonly LinkTest[],
  filmedLoads: readonly FilmedLoad[] = [],
): Export {
  const chosen = new Set(cells.map(({ id }) => id));
  const links = new Set(cells.map((cell) => cell.link));
  const verdict = verdictBy(sweep.plan.metric, loads, traitsByLink(cells), sweep.seed);
  const groups = Map.groupBy(samplesOf(loads, sweep.plan.metric), (load) => JSON.stringify([load.page, load.link]));
  const improvements = [...groups.values()].flatMap((group) =>
    lanePairs(group.map((load) => load.lane)).map((pair) => {
      const { percent, interval, n, reason } = compare(group, pair, sweep.seed);
      const page = group[0]?.page ?? "";
      const link = group[0]?.link ?? "";
      const [low_percent, high_percent] = [interval?.low ?? null, interval?.high ?? null];
      return {
        page,
        link,
        ...pair,
        percent,
        low_percent,
        high_percent,
        loads_lane: n.lane,
        loads_over: n.over,
        reason,
      };
    }),
  );
  const { id, name, plan, plan_digest, created_at, finished_at, seed, command, environment } = sweep;
  return {
    schema: "trilane/export/1",
    sweep: { id, name, plan, plan_digest, created_at, finished_at, seed, command: [...command], environment },
    cells: cells.map((cell) => ({
      id: cell.id,
      page: cell.page,
      lane: cell.lane,
      link: cell.link,
      link_profile: cell.link_profile,
      recording_digest: cell.recording_digest,
      ...(cell.host ? { host: exportedHost(cell.host) } : {}),
    })),
    link_tests: linkTests.filter(({ test }) => links.has(test.link)).map((each) => ({ ...each })),
    loads: loads.map(({ page: _page, lane: _lane, link: _link, ...load }) => ({ ...load, reasons: [...load.reasons] })),
    filmed_loads: filmedLoads
      .filter(({ cell }) => chosen.has(cell))
      .map((film) => ({ ...film, reasons: [...film.reasons] })),
    improvements,
    verdict: {
      scope: verdict.scope,
      sentences: [...verdict.pairs.map((pair) => pair.sentence), ...verdict.notes],
      excluded: verdict.excluded,
    },
  };
}
