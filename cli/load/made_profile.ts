// The profile that a load's browser begins with: empty, or a copy of the one that its engine makes of its first start (engine.ts), which the
// data folder keeps for each build of the browser. If none can be made, loads begin with an empty one: they start later, and load no other way.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { debugLine } from "../base/debug.ts";
import { makeFolder } from "../base/make_folder.ts";
import { removedAtEnd } from "../base/removed_at_end.ts";
import type { Engine } from "../browser/engine.ts";
import { makeScratchFolder } from "../browser/scratch.ts";
import { parseLink } from "../link/link.ts";
import { labCommand } from "./lab.ts";

const timeout_ms = 40_000;

/** Counts up when an engine makes its profiles in another way, so that older ones are used no more. */
const form = 2;

interface ProfileOf {
  readonly engine: Engine;
  readonly program: string;
  /** Of the program's file; null: a script, behind which the browser may change. */
  readonly digest: string | null;
  readonly home: string;
}

/** Made beside its place, so that another process sees it whole or not at all. */
async function make(makeProfile: NonNullable<Engine["makeProfile"]>, program: string, kept: string): Promise<void> {
  const scratch = await makeScratchFolder();
  try {
    const { profile, folder: temporary } = scratch;
    await mkdir(profile);
    const { shaper: lab } = labCommand({ home: "", recording: null, link: parseLink("unlimited"), reports: null });
    await makeProfile({ program, profile, temporary, lab, timeout_ms });
    const aside = `${kept}.${randomBytes(6).toString("hex")}`;
    const keep = removedAtEnd(aside);
    await cp(profile, aside, { recursive: true });
    // Another process may have put its own there meanwhile.
    await rename(aside, kept).catch(() => rm(aside, { recursive: true, force: true }));
    keep();
  } finally {
    await scratch.remove();
  }
}

/** By place, as long as the process lives: also that none could be made. */
const known = new Map<string, Promise<string | null>>();

async function madeProfile({ engine, program, digest, home }: ProfileOf): Promise<string | null> {
  if (!engine.makeProfile || digest === null) return null;
  const folder = join(home, "browser-profiles");
  const kept = join(folder, `${engine.name.toLowerCase()}-${form}-${digest.slice(0, 16)}`);
  const made = known.get(kept) ?? madeIn(folder, kept, engine.makeProfile, program);
  known.set(kept, made);
  return made;
}

async function madeIn(
  folder: string,
  kept: string,
  makeProfile: NonNullable<Engine["makeProfile"]>,
  program: string,
): Promise<string | null> {
  try {
    if (existsSync(kept)) return kept;
    makeFolder(folder);
    await make(makeProfile, program, kept);
    return existsSync(kept) ? kept : null;
  } catch (error) {
    debugLine("lab", () => `no profile was made: ${String(error)}`);
    return null;
  }
}

/** Makes the folder `profile` and what it begins with. */
export async function beginProfile(of: ProfileOf, profile: string): Promise<void> {
  const made = await madeProfile(of);
  if (made === null) await mkdir(profile);
  else await cp(made, profile, { recursive: true });
}
