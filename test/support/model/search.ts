/** How a space of states is searched: what can come next, and what must never be. */
export type Space<State> = {
  readonly next: (state: State) => Iterable<readonly [step: string, state: State]>;
  /** @throws with what is wrong with a state that was reached */
  readonly check: (before: State, after: State) => void;
  /** Two states with the same text are the same. */
  readonly keyOf: (state: State) => string;
};

/**
 * Visits every state that can be reached, the nearest first, so that what it finds wrong comes with the shortest way
 * there.
 * @returns how many there are, and how many ways lead from one to the next
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
