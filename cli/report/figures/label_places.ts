// Where labels stand beside what they name: as near as they can be without touching one another.

/**
 * Heights of labels that want to stand at `wanted`, each at least `apart` from the next and all from `top` to `bottom`;
 * in the order given. Where there is no room for all, they are as far apart as the room allows.
 */
export function labelPlaces(wanted: readonly number[], apart: number, top: number, bottom: number): number[] {
  const step = wanted.length > 1 ? Math.min(apart, (bottom - top) / (wanted.length - 1)) : apart;
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] as number) - (wanted[b] as number) || a - b);
  const places = order.map((index) => Math.max(top, Math.min(bottom, wanted[index] as number)));
  for (let index = 1; index < places.length; index++)
    places[index] = Math.max(places[index] as number, (places[index - 1] as number) + step);
  // What was pushed beyond the end pushes back.
  let limit = bottom;
  for (let index = places.length - 1; index >= 0; index--) {
    places[index] = Math.min(places[index] as number, limit);
    limit = (places[index] as number) - step;
  }
  const result = new Array<number>(wanted.length);
  order.forEach((index, rank) => {
    result[index] = places[rank] as number;
  });
  return result;
}
