// A system that cannot run the programs of packages is named with what it has and the remedy.
import assert from "node:assert/strict";
import { test } from "node:test";
import { libraryFault, ownLibraryFault } from "../../../cli/base/programs.ts";

test("another C library and a glibc too old are named, with the remedy", () => {
  const remedy = "use Debian 12, Ubuntu 22.04, RHEL 9 or newer, or Trilane's container image";
  assert.equal(
    libraryFault(undefined),
    `this system has no glibc (as Alpine), and Trilane's programs need 2.34: ${remedy}`,
  );
  assert.equal(
    libraryFault("2.31"),
    `this system's glibc is 2.31, and Trilane's programs need 2.34 or newer: ${remedy}`,
  );
  for (const version of ["2.34", "2.41", "3.0"]) assert.equal(libraryFault(version), null);
});

test("this system, on which tests run, has one that is new enough", () => assert.equal(ownLibraryFault(), null));
