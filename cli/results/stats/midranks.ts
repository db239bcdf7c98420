// Ranks of values, where equal ones share the mean of theirs. No test; signed_rank.ts and two_samples.ts are those.

/** Midranks times two, so that they are whole; in the order of `values`. */
export function doubledMidranks(values: readonly number[]): Uint32Array {
  const order = values.map((_, index) => index).sort((a, b) => (values[a] as number) - (values[b] as number));
  const ranks = new Uint32Array(values.length);
  for (let first = 0; first < order.length; ) {
    const value = values[order[first] as number];
    let end = first + 1;
    while (end < order.length && values[order[end] as number] === value) end++;
    // Ranks first + 1 to end, of which the mean is (first + 1 + end) / 2.
    for (let place = first; place < end; place++) ranks[order[place] as number] = first + 1 + end;
    first = end;
  }
  return ranks;
}
