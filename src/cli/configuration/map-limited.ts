/** How many requests are on their way at once. */
const AT_ONCE = 6;

/** Maps with at most a few calls at once. The results are in the order of the items. */
export async function mapLimited<Value, Mapped>(
  items: readonly Value[],
  map: (item: Value) => Promise<Mapped>,
): Promise<Mapped[]> {
  const results: (readonly [at: number, result: Mapped])[] = [];
  // All workers take their items from the same iterator.
  const entries = items.entries();
  const work = async (): Promise<void> => {
    for (const [at, item] of entries) results.push([at, await map(item)]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results.toSorted(([one], [other]) => one - other).map(([, result]) => result);
}
