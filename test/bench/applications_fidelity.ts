import { join } from "node:path";
import type { LiveServer } from "../e2e/live_site.ts";
import { tempFolder } from "../temp_folder.ts";
import { makeApplications, phpDirectives, refuseWithoutApplications } from "./applications.ts";
import type { Bench } from "./bench.ts";
import { liveAgainstReplay } from "./live_against_replay.ts";
import { type LiveSites, refuseWithoutServers } from "./live_place.ts";

/** Makes a wiki and a blog in `folder`. UserError where what they need is not installed. */
export async function applicationSites(folder: string): Promise<LiveSites> {
  refuseWithoutServers("applications");
  refuseWithoutApplications();
  const { all, programs, phpSocket } = await makeApplications(folder);
  const hostOf = (name: string): string => name.toLowerCase();
  const servers = all.flatMap(({ name, root, files }, index): LiveServer[] =>
    (["nginx", "caddy"] as const).map((program, place) => ({
      hosts: [`${hostOf(name)}${program === "caddy" ? "-h3" : ""}.test`],
      address: `203.0.113.${1 + 2 * index + place}`,
      root,
      program,
      directives: phpDirectives(program, phpSocket, files),
    })),
  );
  const pages = all.map(({ name, path }) => {
    const url = `https://${hostOf(name)}.test/${path}`;
    return { page: name, urls: { h1: url, h2: url, h3: `https://${hostOf(name)}-h3.test/${path}` } };
  });
  return { servers, programs, pages };
}

export const bench: Bench = async (say, only) => {
  const scratch = tempFolder("trilane-bench-");
  say("making a wiki and a blog");
  const sites = await applicationSites(join(scratch, "applications"));
  return await liveAgainstReplay(say, only, {
    ...{ name: "applications", scratch, within_percent: { h1: 5, h2: 5, h3: 5 } },
    ...sites,
  });
};
