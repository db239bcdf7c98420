// The stochastic model of a cellular link that `trilane trace synth` draws from. Pure: a model and a seed in, times out.
//
// 1. The rate is a mean-reverting random walk. x(t) is an Ornstein-Uhlenbeck process of mean 0, variance 1 and correlation
//    exp(-|d| / memory), stepped exactly every 20 ms: x' = x r + sqrt(1 - r^2) z, r = exp(-20 ms / memory), z standard
//    normal; x(0) is drawn from its stationary law. The rate is proportional to exp(s x), s^2 = ln(1 + spread^2): always
//    above 0, log-normal over time, and `spread` is its standard deviation over its mean.
// 2. Outages come and go independently of it (an alternating renewal process): the link is up for exponentially
//    distributed times of mean `outage_every` and then off for ones of mean `outage_length`. Rate 0 while off.
// 3. Opportunities are a Poisson process of that rate (a Cox process), given their number: the number is what the wanted
//    mean rate delivers over the length, so the mean of every trace is the wanted one, whatever its walk did. Given the
//    number, a Poisson process's times are independent and distributed as the rate: they are drawn in rising order.
// 4. The last opportunity is moved to the end of the length, where a trace begins again.
//
// The walk and the Poisson opportunities are those that Winstein, Sivaraman and Balakrishnan infer with in "Stochastic
// forecasts achieve high throughput and low delay over cellular networks" (NSDI 2013); they let the rate diffuse freely
// between bounds, here it returns to its mean.
import { UserError } from "../../base/errors.ts";
import { type RandomSource, randomSource } from "../../base/random.ts";
import { latest_ms, mostOpportunities, opportunity_bits } from "../opportunities.ts";

export interface CellularModel {
  /** Of the whole trace, outages included. */
  readonly mean_bps: number;
  /** Standard deviation of the rate over its mean, outages apart. */
  readonly spread: number;
  /** Time after which the rate's correlation with itself has fallen to 1/e. */
  readonly memory_ms: number;
  /** Mean time between an outage's end and the next one's beginning; null: none. */
  readonly outageEvery_ms: number | null;
  readonly outageLength_ms: number;
}

const step_ms = 20;
/** Memory of a drawn walk: a step is 20 ms. */
const longest_ms = 7 * 24 * 3_600_000;

function normal(random: RandomSource): number {
  // Box and Muller; the other of the pair is not kept.
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

const exponential = (random: RandomSource, mean: number): number => -mean * Math.log(1 - random());

/** Share of each step in which the link is up. */
function upShares(model: CellularModel, steps: number, random: RandomSource): Float64Array {
  const shares = new Float64Array(steps).fill(1);
  const { outageEvery_ms: every_ms, outageLength_ms } = model;
  if (every_ms === null || outageLength_ms === 0) return shares;
  const end_ms = steps * step_ms;
  // What is left of an exponential time is distributed as the whole of it, so the start is stationary.
  let up = random() < every_ms / (every_ms + outageLength_ms);
  for (let from_ms = 0; from_ms < end_ms; ) {
    const until_ms = from_ms + exponential(random, up ? every_ms : outageLength_ms);
    if (!up) {
      const last = Math.min(steps, Math.ceil(until_ms / step_ms));
      for (let step = Math.floor(from_ms / step_ms); step < last; step++) {
        const off_ms = Math.min(until_ms, (step + 1) * step_ms) - Math.max(from_ms, step * step_ms);
        shares[step] = Math.max(0, (shares[step] ?? 0) - off_ms / step_ms);
      }
    }
    from_ms = until_ms;
    up = !up;
  }
  return shares;
}

/** The rate in each step, without a unit. */
function drawWalk(model: CellularModel, steps: number, seed: number): Float64Array {
  const random = randomSource(seed, "rate");
  const rates = upShares(model, steps, randomSource(seed, "outages"));
  const sigma = Math.sqrt(Math.log(1 + model.spread ** 2));
  const keep = Math.exp(-step_ms / model.memory_ms);
  const renew = Math.sqrt(1 - keep ** 2);
  let x = normal(random);
  for (let step = 0; step < steps; step++) {
    rates[step] = (rates[step] ?? 0) * Math.exp(sigma * x);
    x = keep * x + renew * normal(random);
  }
  return rates;
}

/**
 * The times of a trace in ms, in rising order; the last is length_ms. The same model, length and seed give the same
 * trace. UserError for what gives none.
 */
export function* drawTrace(model: CellularModel, length_ms: number, seed: number): Generator<number, void, undefined> {
  if (!(Number.isInteger(length_ms) && length_ms >= 1 && length_ms <= Math.min(longest_ms, latest_ms)))
    throw new UserError("trace: the length must be from 1 ms to 168 h");
  const number = Math.round((model.mean_bps * length_ms) / 1000 / opportunity_bits);
  if (number < 1)
    throw new UserError(
      `trace: ${model.mean_bps} bit/s have no opportunity in ${length_ms} ms: raise the rate or the length`,
    );
  if (number > mostOpportunities)
    throw new UserError(`trace: ${number} opportunities: lower the rate or the length to at most ${mostOpportunities}`);
  const steps = Math.ceil(length_ms / step_ms);
  const rates = drawWalk(model, steps, seed);
  const lastShare = length_ms / step_ms - (steps - 1);
  rates[steps - 1] = (rates[steps - 1] ?? 0) * lastShare;
  const total = rates.reduce((sum, rate) => sum + rate, 0);
  // An outage over the whole of a short trace.
  if (!(total > 0)) {
    throw new UserError(
      `trace: the whole ${length_ms} ms are an outage with seed ${seed}: take another, or a longer trace`,
    );
  }
  const random = randomSource(seed, "opportunities");
  let share = 0; // of the opportunities' distribution that has passed
  let step = 0;
  let before = 0; // sum of the rates of the steps before `step`
  for (let left = number; left > 1; left--) {
    // The least of `left` uniform numbers between `share` and 1.
    share += (1 - share) * -Math.expm1(Math.log(1 - random()) / left);
    const target = Math.min(share, 1) * total;
    while (step < steps - 1 && before + (rates[step] ?? 0) < target) before += rates[step++] ?? 0;
    const rate = rates[step] ?? 0;
    const within = rate > 0 ? Math.min(1, Math.max(0, (target - before) / rate)) : 0;
    const lasts_ms = step === steps - 1 ? lastShare * step_ms : step_ms;
    yield Math.min(length_ms, Math.ceil(step * step_ms + within * lasts_ms));
  }
  yield length_ms;
}
