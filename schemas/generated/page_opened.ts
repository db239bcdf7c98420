// Generated from ../page-opened.schema.json by `npm run generate`: change the schema instead.
import type { Lane } from "./lane.ts";

/**
 * The one line that `trilane open --json` prints, when the page is on its way; the browser stays until it is closed.
 */
export interface PageOpened {
  schema: "trilane/page-opened/1";
  /**
   * The recording's name.
   */
  page: string;
  url: string;
  lane: Lane;
  /**
   * Short form, canonical.
   */
  link: string;
  /**
   * The control socket's path; null: none.
   */
  control: string | null;
  /**
   * Its id in that browser.
   */
  extension: string;
}
