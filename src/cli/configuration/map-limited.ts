/** How many requests are on their way at once. */
const AT_ONCE = 6;

/** Maps with at most a few calls at once. The results are in the order of the items. */
export async function mapLimited<Value, Mapped>(
  items: readonly Value[],
  map: (item: Value) => Promise<Mapped>,
): Promise<Mapped[]> {
  const results = new Map<number, Mapped>();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next; at < items.length; at = next) {
      next += 1;
      const item = items.slice(at, at + 1);
      for (const one of item) results.set(at, await map(one));
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work));
  return items.flatMap((_, at) => (results.has(at) ? [results.get(at)].flatMap((one) => one ?? []) : []));
}
