// Generated from ../links.schema.json by `npm run generate`: change the schema instead.
import type { LinkProfile } from "./link_profile.ts";

/**
 * What `trilane links --json` prints: the links that have a name, or the one that was asked for.
 */
export interface Links {
  schema: "trilane/links/1";
  /**
   * @minItems 1
   */
  links: [ListedLink, ...ListedLink[]];
}
export interface ListedLink {
  /**
   * null: a form that was asked for, of no name.
   */
  name: string | null;
  summary: string;
  /**
   * Who published the figures; null: nobody, they were asked for.
   */
  source: string | null;
  /**
   * The canonical short form.
   */
  form: string;
  link: LinkProfile;
}
