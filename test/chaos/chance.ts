/** A random generator that returns the same values for the same seed. */
export type Chance = {
  /** From 0 up to 1. */
  next(): number;
  /** An integer from `least` to `most`. */
  integer(least: number, most: number): number;
  happens(probability: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
  /** One of the values, with a probability in proportion to its weight. */
  weighted<Value extends { readonly weight: number }>(values: readonly Value[]): Value;
  /** A separate generator, so that concurrent users do not change each other's values. */
  fork(): Chance;
};

/** Source: splitmix32, a well-known generator of 32-bit numbers that passes the usual tests. */
export function createChance(seed: number): Chance {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4_294_967_296;
  };
  const chance: Chance = {
    next,
    integer: (least, most) => least + Math.floor(next() * (most - least + 1)),
    happens: (probability) => next() < probability,
    pick(values) {
      const picked = values[Math.floor(next() * values.length)];
      if (picked === undefined) throw new Error("there is nothing to pick from");
      return picked;
    },
    weighted(values) {
      let left = next() * values.reduce((sum, { weight }) => sum + weight, 0);
      for (const value of values) {
        left -= value.weight;
        if (left < 0) return value;
      }
      throw new Error("there is nothing to pick from");
    },
    fork: () => createChance(Math.floor(next() * 4_294_967_296)),
  };
  return chance;
}
