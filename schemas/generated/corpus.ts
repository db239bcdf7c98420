// Generated from ../corpus.schema.json by `npm run generate`: change the schema instead.

/**
 * What `trilane corpus synth` and `trilane corpus check` print with --json: a corpus, its quantiles beside those that it follows.
 */
export interface Corpus {
  schema: "trilane/corpus/1";
  /**
   * corpus:NAME in plans.
   */
  name: string;
  /**
   * Whose distributions these are.
   */
  source: string;
  pages: number;
  seed: number;
  /**
   * How many of its pages this command made; the others were there.
   */
  made: number;
  /**
   * Of all pages.
   */
  objects: number;
  /**
   * Of all pages' objects; what is stored is less, as pages share bodies.
   */
  body_bytes: number;
  quantiles: QuantileRow[];
  /**
   * Whether all quantiles are.
   */
  within: boolean;
}
export interface QuantileRow {
  of: "servers" | "objects" | "object_bytes" | "total_bytes" | "https_pages" | "https_other_origins";
  /**
   * 0: the least, 1: the most; null: a share of pages or servers.
   */
  probability: number | null;
  published: number;
  /**
   * Of a corpus of so many pages, whose ends are less far out.
   */
  expected: number;
  corpus: number;
  /**
   * corpus / expected - 1.
   */
  off: number;
  /**
   * Off by 10 % at most.
   */
  within: boolean;
}
