// The tables of the CSE 534 project of 2017: page load times of its QUIC (our h3) and its HTTP/2 (our h2). Those by number, size and type
// of objects were taken on its fast, near network. Numbers only.
import type { Published, Study } from "./study.ts";

const networks = {
  near: "down=30mbit,up=15mbit,rtt=2ms",
  slowFar: "down=750kbit,up=250kbit,rtt=100ms",
  far: "down=30mbit,up=15mbit,rtt=100ms",
  slow: "down=750kbit,up=250kbit,rtt=2ms",
} as const;

/** As the tables have them: below a second in ms. */
const timeText = (time_ms: number): string => (time_ms < 1000 ? `${time_ms} ms` : `${time_ms / 1000} s`);

function over(page: string, link: string, quic_ms: number, h2_ms: number): Published {
  const percent = Math.round((100 * (h2_ms - quic_ms)) / h2_ms);
  const times = { lane: timeText(quic_ms), over: timeText(h2_ms) };
  return {
    pair: { lane: "h3", over: "h2" },
    page: `cse534-${page}`,
    link,
    percent,
    sign: Math.sign(h2_ms - quic_ms),
    times,
  };
}

const onNear = ([page, quic_ms, h2_ms]: readonly [string, number, number]): Published =>
  over(page, networks.near, quic_ms, h2_ms);

const byObjects = [
  ["count-1", 290, 80],
  ["count-5", 540, 100],
  ["count-10", 617, 110],
  ["count-16", 621, 150],
  ["size-1kB", 290, 10],
  ["size-200kB", 388, 170],
  ["size-1MB", 1540, 550],
  ["size-5MB", 14_960, 1340],
  ["size-10MB", 27_720, 2620],
  ["type-js", 385, 30],
  ["type-css", 430, 30],
  ["type-small-image", 290, 10],
  ["type-large-image", 27_720, 2620],
  ["type-data", 195, 80],
] as const;

/** QUIC and HTTP/2 on each network. */
const mixes = [
  ["many-small", { near: [869, 160], slowFar: [968, 990], far: [963, 270], slow: [902, 550] }],
  ["few-large", { near: [59_840, 3250], slowFar: [318_000, 324_000], far: [60_000, 7940], slow: [306_000, 330_000] }],
  ["mixed", { near: [9170, 810], slowFar: [60_000, 53_990], far: [8490, 1420], slow: [50_180, 51_500] }],
] as const;

const published: Published[] = [
  ...byObjects.map(onNear),
  ...mixes.flatMap(([page, times]) =>
    (["near", "slowFar", "far", "slow"] as const).map((network) => {
      const [quic_ms, h2_ms] = times[network];
      return over(page, networks[network], quic_ms, h2_ms);
    }),
  ),
];

export const cse534: Study = {
  name: "cse534-2017",
  reference: "CSE 534 project, Stony Brook University, 2017: QUIC against HTTP/2",
  quick: "cse534-2017-quick",
  full: "cse534-2017",
  published,
  differs:
    "The project compared a tuned HTTP/2 server with a toy QUIC server of 2017, by its own account: on 30 Mbit/s its QUIC took 2.3 to 29 times as long, about 3 Mbit/s for 10 MB, which is the server's speed and not the protocol's. Here both servers are of one quality, and the report shows what each costs, so that signs are expected to differ on 30 Mbit/s. On 750 kbit/s, where the link is what is slow, the project found both within 11 % of each other but for pages of small objects; there ours can agree or be undecided. Its pages were larger than ours where it gives no sizes: 330 s on 750 kbit/s are about 30 MB for its few large objects (ours: 1 MB), and its large image took as long as its 10 MB (ours: 500 kB).",
};
