// Which engine a browser's program is of, by its name.
import { chromiumEngine } from "../browser/chromium_engine.ts";
import type { Engine } from "../browser/engine.ts";

/** Of a program's absolute path. */
export const engineOf = (_program: string): Engine => chromiumEngine;
