// A page without a film says why, if its browser is the reason.
import assert from "node:assert/strict";
import { test } from "node:test";
import { whyUnfilmed } from "../../../cli/report/group_films.ts";

type Data = Parameters<typeof whyUnfilmed>[0];
type Group = Parameters<typeof whyUnfilmed>[1];

const group = { page: "shop", link: "3g" } as Group;
const loaded = (browser_version: string | null, page = "shop") =>
  ({ loads: [{ page, link: "3g", browser_version }] }) as unknown as Data;

test("loads in Firefox have no film, and the report says so; of other browsers' it says nothing", () => {
  assert.match(whyUnfilmed(loaded("Firefox 153.8.0"), group)?.text ?? "", /no film, because .* Firefox/);
  for (const data of [loaded("Chromium 156.0"), loaded("156.0"), loaded(null), loaded("Firefox 153.8.0", "other")])
    assert.equal(whyUnfilmed(data, group), null);
});
