// The profile that a load's browser begins with: made once for a build, copied for each load, and empty if none can be made.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Engine } from "../../../cli/browser/engine.ts";
import { firefoxEngine } from "../../../cli/browser/firefox/firefox_engine.ts";
import { beginProfile } from "../../../cli/load/made_profile.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-made-profile-");

const digest = "0123456789abcdef".repeat(4);
const at = (name: string): string => join(folder, name);
/** Starts nothing. */
const engineThat = (makeProfile: NonNullable<Engine["makeProfile"]>): Engine => ({ ...firefoxEngine, makeProfile });

test("it is made once, kept for the build, and copied for each load", async () => {
  let made = 0;
  const engine = engineThat(async ({ profile }) => {
    made++;
    await writeFile(join(profile, "prefs.js"), "of the first start");
  });
  const of = { engine, program: "/bin/true", digest, home: at("home") };
  await Promise.all([beginProfile(of, at("a")), beginProfile(of, at("b"))]);
  assert.equal(made, 1);
  for (const name of ["a", "b"]) assert.equal(readFileSync(join(at(name), "prefs.js"), "utf8"), "of the first start");
  assert.deepEqual(readdirSync(join(at("home"), "browser-profiles")), ["firefox-2-0123456789abcdef"]);
  await beginProfile({ ...of, digest: digest.replaceAll("0", "1") }, at("c"));
  assert.equal(made, 2, "another build has its own");
});

test("a load begins with an empty one if none can be made, if the program is a script, or if the engine needs none", async () => {
  const failing = engineThat(() => Promise.reject(new Error("it did not start")));
  const of = { engine: failing, program: "/bin/true", digest, home: at("other") };
  await beginProfile(of, at("d"));
  await beginProfile({ ...of, digest: null }, at("e"));
  const { makeProfile: _, ...none } = firefoxEngine;
  await beginProfile({ ...of, engine: none }, at("f"));
  for (const name of ["d", "e", "f"]) assert.deepEqual(readdirSync(at(name)), []);
  assert.deepEqual(existsSync(join(at("other"), "browser-profiles")) && readdirSync(at("other/browser-profiles")), []);
});
