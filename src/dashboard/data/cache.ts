const clearers = new Set<() => void>();

/** Registers a function that deletes cached data. It runs when a session ends: another account may sign in next. */
export function onSignOut(clear: () => void): void {
  clearers.add(clear);
}

/** Deletes all data that was read for the account. */
export function clearCaches(): void {
  for (const clear of clearers) clear();
}

/**
 * A cache of `limit` values. A new one beyond that replaces the least recently used.
 * @returns a function that returns the value of a key, and calls `create` where there is none
 */
export function cacheByKey<Value>(limit: number): (key: string, create: () => Value) => Value {
  const values = new Map<string, Value>();
  onSignOut(() => values.clear());
  return (key, create) => {
    const value = values.get(key) ?? create();
    // A map keeps its keys in the order in which they were set.
    values.delete(key);
    values.set(key, value);
    const [oldest] = values.keys();
    if (values.size > limit && oldest !== undefined) values.delete(oldest);
    return value;
  };
}
