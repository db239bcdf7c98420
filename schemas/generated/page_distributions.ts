// Generated from ../page-distributions.schema.json by `npm run generate`: change the schema instead.

/**
 * Quantiles as in total_bytes, of whole numbers.
 *
 * @minItems 2
 * @maxItems 100000
 */
export type Counts = [number, number, ...number[]];
/**
 * Values at equal steps of probability from the least (0) to the most (1): of three the second is the median, of five the others are the quartiles.
 *
 * @minItems 2
 * @maxItems 100000
 */
export type Quantiles = [number, number, ...number[]];
export type Correlation = number;
/**
 * How pages of a corpus are distributed (`trilane corpus synth --like FILE.json`): quantiles of what a page is made of.
 */
export interface PageDistributions {
  $schema?: string;
  /**
   * Whose pages these are, for people.
   */
  source: string;
  /**
   * Of how many pages the quantiles are: the least and the most are the ends of so many.
   */
  pages: number;
  servers: Counts;
  objects: Counts;
  total_bytes: Quantiles;
  /**
   * Of all objects of all pages: the least, the median, the most.
   *
   * @minItems 3
   * @maxItems 3
   */
  object_bytes: [number, number, number];
  /**
   * Of the normals behind the ranks (a Gaussian copula). Default: 0.8, 0.7 and 0.5.
   */
  correlations?: {
    objects_servers: Correlation;
    objects_total: Correlation;
    servers_total: Correlation;
  };
  https: {
    /**
     * Share of pages whose document comes by https, and so all else of the page.
     */
    pages: number;
    /**
     * Of pages by http: share of the other servers that are asked by https.
     */
    other_origins: number;
  };
}
