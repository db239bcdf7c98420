// Whether a replayed page behaves as the live one did: pages of installed documentation, served by nginx (h1, h2) and Caddy (h3).
import { existsSync } from "node:fs";
import { UserError } from "../../cli/base/errors.ts";
import { tempFolder } from "../temp_folder.ts";
import type { Bench } from "./bench.ts";
import { liveAgainstReplay } from "./live_against_replay.ts";
import { type LiveSites, refuseWithoutServers } from "./live_place.ts";

/** Debian's python3-doc, which the set-up of the tests does not install. */
const documentation = "/usr/share/doc/python3.11/html";
const pages = ["tutorial/index.html", "library/json.html", "whatsnew/3.11.html"] as const;

/** UserError where it is not installed. */
export function documentationSites(): LiveSites {
  refuseWithoutServers("fidelity");
  if (!existsSync(documentation)) throw new UserError(`fidelity: no ${documentation}: apt install python3-doc`);
  return {
    servers: [
      { hosts: ["docs.test"], address: "203.0.113.1", root: documentation, program: "nginx" },
      { hosts: ["docs-h3.test"], address: "203.0.113.2", root: documentation, program: "caddy" },
    ],
    pages: pages.map((page) => {
      const url = `https://docs.test/${page}`;
      return { page, urls: { h1: url, h2: url, h3: `https://docs-h3.test/${page}` } };
    }),
  };
}

export const bench: Bench = async (say, only) => {
  const sites = documentationSites();
  const scratch = tempFolder("trilane-bench-");
  return await liveAgainstReplay(say, only, {
    ...{ name: "fidelity", scratch, within_percent: { h1: 3, h2: 3, h3: 5 } },
    ...sites,
  });
};
