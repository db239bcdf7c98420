// Generated from ../synth-catalogue.schema.json by `npm run generate`: change the schema instead.

/**
 * What `trilane synth --list --json` prints. object-SIZE and video-..., whose sizes are part of their names, are not among them.
 */
export interface SynthCatalogue {
  schema: "trilane/synth-catalogue/1";
  pages: CatalogueLine[];
}
export interface CatalogueLine {
  name: string;
  summary: string;
  /**
   * The document's and one for each object.
   */
  requests: number;
  /**
   * Sum of the objects' bodies, without the document.
   */
  object_bytes: number;
}
