// The options by which a race loads a page from the servers that it came from, through the link: --outside, and --connect for a server that is not
// where its name leads. Makes lanes and the plan's server `live` of them.
import { isIP } from "node:net";
import { UserError } from "../../base/errors.ts";
import { liveServer } from "../../base/factors.ts";
import { type LaneLabel, withFactors } from "../../base/lanes.ts";
import { flag } from "../../base/option.ts";
import type { OptionsOf, OptionTable } from "../../base/option_table.ts";
import { liveFar } from "../../link/live/live_lab.ts";
import { reachOf } from "../../link/live/reach.ts";
import { refuseServers } from "../../load/servers/servers.ts";
import type { LiveChoice } from "../../recording/record/options.ts";
import { pageUrl } from "../../recording/record/words.ts";
import { isUrl } from "./page_source.ts";
import type { ServedLanes, ServersOptions } from "./servers_option.ts";

type LiveServersOptions = OptionsOf<typeof defineLiveServers>;

export const defineLiveServers = (table: OptionTable<unknown>) =>
  table
    .option(
      "outside",
      flag("load the page from its live servers, over the internet and through the link, not from its recording"),
    )
    .option("connect", {
      placeholder: "ADDRESS",
      describe: "with --outside: the page's host is at this address, as a staging server is",
    })
    .group(["outside", "connect"], "Live servers:");

type Given = LiveServersOptions & Partial<ServersOptions> & { readonly page: string; readonly as?: string | undefined };

/** With --connect's address among those that are to be used in place of what names lead to. UserError. */
export function connectedChoice({ page, outside, connect }: Given, choice: LiveChoice): LiveChoice {
  if (connect === undefined) return choice;
  const address = connect.replace(/^\[(.*)\]$/, "$1");
  if (!outside) throw new UserError("--connect: is for --outside: give that too");
  if (isIP(address) === 0)
    throw new UserError(
      `--connect must be an address, the port stands in the page's URL (got ${JSON.stringify(connect)})`,
    );
  return { ...choice, addresses: [{ host: new URL(pageUrl(page)).hostname, address }, ...choice.addresses] };
}

/** Each lane from live servers; null: --outside is not given. UserError for what is in the way of it. */
export async function liveLanes(
  options: Given,
  bare: readonly LaneLabel[],
  choice: LiveChoice,
): Promise<ServedLanes | null> {
  const { page, as, outside, servers, server = [] } = options;
  if (!outside) return null;
  if (!isUrl(page)) throw new UserError(`--outside: loads a page from its own servers: name its URL (got ${page})`);
  if (servers !== undefined || server.length > 0)
    throw new UserError("--outside: the servers are live ones: leave --servers and --server out");
  if (as !== undefined) throw new UserError("--outside: live servers have the page as it is: leave --as out");
  const { addresses, trustedKeys, allowLocalNetwork } = choice;
  const live = {
    ...(addresses.length > 0 ? { addresses: [...addresses] } : {}),
    ...(trustedKeys.length > 0 ? { trusted_keys: [...trustedKeys] } : {}),
    ...(allowLocalNetwork ? { allow_local_network: true } : {}),
  };
  const lanes = bare.map((lane) => withFactors(lane, { server: liveServer })) as ServedLanes["lanes"];
  const served = { lanes, servers: { [liveServer]: { live } } };
  await refuseServers(served);
  await liveFar(live);
  const url = pageUrl(page);
  // Recording reaches where the page is; the far side of a link, without this word, only the internet.
  if (!allowLocalNetwork && (await reachOf(url, addresses)).nearest !== "public")
    throw new UserError(
      `--outside: ${new URL(url).host} is on this machine or a private network: take --allow-local-network for it`,
    );
  return served;
}
