// A page without a film says why, if its browser is the reason.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Group, groupsOf } from "../../../cli/report/data.ts";
import { whyUnfilmed } from "../../../cli/report/group_films.ts";

/** Of the page `shop`, in a sweep with one load. */
function loaded(browser_version: string | null, page = "shop"): Group {
  const place = { link: "3g", browser_version };
  const [group] = groupsOf([{ page: "shop", link: "3g" }] as never, [{ page, ...place }] as never);
  return group as Group;
}

test("loads in Firefox have no film, and the report says so; of other browsers' it says nothing", () => {
  assert.match(whyUnfilmed(loaded("Firefox 153.8.0"))?.text ?? "", /no film, because .* Firefox/);
  for (const group of [loaded("Chromium 156.0"), loaded("156.0"), loaded(null), loaded("Firefox 153.8.0", "other")])
    assert.equal(whyUnfilmed(group), null);
});
