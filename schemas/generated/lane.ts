// Generated from ../lane.schema.json by `npm run generate`: change the schema instead.

/**
 * A protocol configuration that pages are loaded over, in the order in which people read them. What each is: cli/base/lanes.ts.
 */
export type Lane = "h1" | "h1-clear" | "h2" | "h2-0rtt" | "h3" | "h3-discovered" | "h3-altsvc" | "h3-0rtt";
