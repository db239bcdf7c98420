// What keeps a tree from being released. No test runs, nothing is built or tagged.
import assert from "node:assert/strict";
import { test } from "node:test";
import { releaseFaults, type Tree } from "../../../../cli/install/packages/release.ts";

const ready: Tree = {
  changed: "",
  tags: ["v0.2.0"],
  manifestVersion: "0.3.0",
  lockVersion: "0.3.0",
  changelog: "# Changelog\n\n## Unreleased\n\n## 0.3.0\n\n- What is new.\n\n## 0.2.0\n",
};

test("a tree that says everywhere that it is the version can be released, each other one is told what to do", () => {
  assert.deepEqual(releaseFaults("0.3.0", ready), []);
  const faults: readonly (readonly [Partial<Tree>, RegExp])[] = [
    [{ changed: " M README.md" }, /not committed/],
    [{ tags: ["v0.3.0"] }, /tagged already/],
    [{ manifestVersion: "0.2.0" }, /^package\.json says 0\.2\.0/],
    [{ lockVersion: "0.2.0" }, /^package-lock\.json says 0\.2\.0/],
    [{ changelog: "\n## 0.2.0\n" }, /no heading "## 0\.3\.0"/],
    [{ changelog: ready.changelog.replace("Unreleased\n", "Unreleased\n\n- Not yet.\n") }, /under "Unreleased"/],
    [{ changelog: "\n## 0.3.0\n\n- New.\n\n## Unreleased\n\n- Last.\n" }, /under "Unreleased"/],
  ];
  for (const [change, said] of faults) {
    const found = releaseFaults("0.3.0", { ...ready, ...change });
    assert.equal(found.length, 1, found.join("; "));
    assert.match(found[0] ?? "", said);
  }
  for (const word of ["", "v0.3.0", "0.3", "0.3.0-rc1"])
    assert.match(releaseFaults(word, ready)[0] ?? "", /is no version/);
});
