// Generated from ../host-installed.schema.json by `npm run generate`: change the schema instead.

/**
 * What `trilane install-host --json` prints.
 */
export interface HostInstalled {
  schema: "trilane/host-installed/1";
  action: "installed" | "removed";
  /**
   * Of the host, as an extension calls it.
   */
  name: string;
  /**
   * Of the host that answered.
   */
  version: string;
  /**
   * The only extension that it answers.
   */
  extension: string;
  /**
   * What browsers start; absolute. null: removed.
   */
  program: string | null;
  /**
   * @minItems 1
   */
  manifests: [HostManifest, ...HostManifest[]];
}
export interface HostManifest {
  path: string;
  /**
   * Who reads it; empty: whoever is started with that profile.
   */
  browsers: ("chrome" | "chromium" | "edge" | "brave")[];
  /**
   * absent: there was none to remove.
   */
  state: "written" | "replaced" | "unchanged" | "removed" | "absent";
}
