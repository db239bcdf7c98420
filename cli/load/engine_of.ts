// Which engine a browser's program is of, by its name.
import { basename } from "node:path";
import { chromiumEngine } from "../browser/chromium_engine.ts";
import type { Engine } from "../browser/engine.ts";
import { firefoxEngine } from "../browser/firefox/firefox_engine.ts";

/** Of a program's path. */
export const engineOf = (program: string): Engine =>
  /^firefox/.test(basename(program)) ? firefoxEngine : chromiumEngine;
