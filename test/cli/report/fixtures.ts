// The sweeps that the tests of report and export store: a race, a grid, loss, many pages, and hostile texts.
import { parseLink } from "../../../cli/link/link.ts";
import { type Fixture, type FixtureOutcome, modelPlt_ms } from "./fixture.ts";

const valid: FixtureOutcome = { status: "valid", reasons: [] };

export const raceFixture: Fixture = {
  name: "race shop",
  pages: ["shop"],
  links: ["3mbit/50ms"],
  repetitions: 5,
  outcome: ({ lane, block, attempt }) =>
    lane === "h2" && block === 2 && attempt === 0
      ? { status: "invalid", reasons: ["2 requests were answered over http/1.1 and not h2"] }
      : lane === "h3" && block === 4 && attempt === 0
        ? { status: "failed", reasons: ["the browser crashed"] }
        : valid,
};

const rates = [
  "200kbit",
  "300kbit",
  "600kbit",
  "1mbit",
  "1700kbit",
  "2900kbit",
  "5mbit",
  "8600kbit",
  "14600kbit",
  "25mbit",
];
const rtts = [30, 60, 90, 120, 150, 180, 210, 240, 270, 300];

export const gridFixture: Fixture = {
  name: "das-2014-grid",
  description: "Over which networks does each protocol help or hurt page load time?",
  pages: ["carlucci-small"],
  links: rates.flatMap((rate) => rtts.map((rtt) => `${rate}/${rtt}ms`)),
  repetitions: 5,
  plt_ms: ({ link, lane }) => {
    const base = modelPlt_ms(link, lane, 0);
    const { rtt_ms, down } = parseLink(link);
    // On fast near links the newest lane costs more than it saves.
    const cost = lane === "h3" ? 1 + (0.9 * Math.log10((down.rate_bps ?? 1e6) / 1e5)) / (rtt_ms / 15) : 1;
    return base * cost;
  },
  outcome: ({ link, lane }) =>
    link === "200kbit/30ms" && lane === "h3"
      ? { status: "invalid", reasons: ["23 of 23 requests fell back to h2"] }
      : valid,
};

/** Enough of it for maps, in a sixth of the loads. */
export const smallGridFixture: Fixture = {
  ...gridFixture,
  links: [0, 3, 6, 9].flatMap((rate) => [0, 3, 6, 9].map((rtt) => `${rates[rate]}/${rtts[rtt]}ms`)),
};

export const lossFixture: Fixture = {
  name: "carlucci-s3",
  pages: ["carlucci-small", "carlucci-medium", "carlucci-large"],
  links: [
    "3mbit/50ms",
    "3mbit/50ms,loss=1%",
    "3mbit/50ms,loss=2%",
    "10mbit/50ms",
    "10mbit/50ms,loss=1%",
    "10mbit/50ms,loss=2%",
  ],
  repetitions: 6,
};

/** As large as the built-in example: two pages, four links. */
export const exampleFixture: Fixture = {
  name: "as-example",
  pages: ["carlucci-small", "cse534-count-16"],
  links: ["10mbit/150ms", "10mbit/20ms", "3mbit/150ms", "3mbit/20ms"],
  repetitions: 6,
};

export const lossGridFixture: Fixture = {
  name: "yu-benson",
  pages: ["a-page"],
  links: ["10mbit", "100mbit"].flatMap((rate) =>
    [10, 50, 100].flatMap((rtt) => ["", ",loss=0.1%", ",loss=1%"].map((loss) => `${rate}/${rtt}ms${loss}`)),
  ),
  repetitions: 4,
  finished: false,
};

export const manyPagesFixture: Fixture = {
  name: "twelve-pages",
  pages: Array.from({ length: 12 }, (_, index) => `site-${index + 1}.example`),
  links: ["3mbit/50ms", "10mbit/150ms"],
  repetitions: 3,
};

const deep = `${"a-very-long-path-segment-that-goes-on/".repeat(40)}file.js?${"token=0123456789abcdef&".repeat(60)}`;

export const hostileName = `"><script>fetch("https://evil.example/")</script><img src=x onerror=alert(1)>`;

/** Every text from outside tries to be markup, or is far too long for its place. */
export const hostileFixture: Fixture = {
  name: "hostile",
  description: `${hostileName} &amp; \u202e reversed`,
  pages: [hostileName, "p'onmouseover='alert(1)", "W".repeat(180), "\u202egnp.exe"],
  links: ["down=10mbit,up=2mbit,rtt=50ms,queue=64kB,loss_down=1%", "3mbit/50ms"],
  repetitions: 5,
  urls: [
    "https://shop.example.com/",
    `https://shop.example.com/${deep}`,
    `https://shop.example.com/"><script>alert(1)</script>`,
    "https://shop.example.com/</title><script>alert(2)</script>",
    "https://shop.example.com/WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW.js",
    "https://shop.example.com/商品商品商品商品商品商品商品商品商品商品商品商品商品商品商品商品商品商品.jpg",
    "javascript:alert(3)",
    "not a url at all ]]> --> {{x}}",
  ],
  match: (url) =>
    url.includes("javascript") || url.includes("WWWW")
      ? { match: "missed" }
      : url.endsWith("/")
        ? { match: "exact" }
        : { match: "fuzzy", instead: { url: `${url}?${deep}`, difference: "query", likeness: 0.5 } },
  outcome: ({ page, lane, block }) =>
    page === hostileName && lane === "h1" && block === 0
      ? { status: "invalid", reasons: [`<b onclick=alert(4)>request</b> ${deep}`] }
      : valid,
};
