/** A space of states to search: the next states, and the invariants. */
export type Space<State> = {
  readonly next: (state: State) => Iterable<readonly [step: string, state: State]>;
  /** @throws if a state violates an invariant */
  readonly check: (before: State, after: State) => void;
  /** Two states with the same text are equal. */
  readonly keyOf: (state: State) => string;
};

/**
 * Visits every reachable state in breadth-first order, so that a violation is reported with the shortest path to it.
 * @returns the number of states, and the number of steps between them
 */
export function visitAll<State>(
  first: State,
  { next, check, keyOf }: Space<State>,
): { states: number; steps: number } {
  type Way = { readonly step: string; readonly before: Way | null };
  const seen = new Set<string>([keyOf(first)]);
  let frontier: { state: State; way: Way | null }[] = [{ state: first, way: null }];
  let steps = 0;
  while (frontier.length > 0) {
    const found: typeof frontier = [];
    for (const { state, way } of frontier) {
      for (const [step, after] of next(state)) {
        steps += 1;
        const here = { step, before: way };
        try {
          check(state, after);
        } catch (error) {
          throw new Error(`${String(error)}\nafter: ${wayTo(here).join(" → ")}`, { cause: error });
        }
        const key = keyOf(after);
        if (seen.has(key)) continue;
        seen.add(key);
        found.push({ state: after, way: here });
      }
    }
    frontier = found;
  }
  return { states: seen.size, steps };

  function wayTo(way: Way): string[] {
    const taken: string[] = [];
    for (let at: Way | null = way; at !== null; at = at.before) taken.unshift(at.step);
    return taken;
  }
}
