import { logFailure } from "#worker/log-failure.ts";

/** How long a Durable Object may take to answer the schedule. */
const CALL_MS = 10_000;

/** How many objects are called at the same time. */
const AT_ONCE = 5;

/** Waits for work, but not longer than this. @throws also if it takes longer; the work itself continues */
export async function inTime<Value>(ms: number, work: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Calls a Durable Object for each item, a few at a time. An item that fails or does not answer in time is logged and
 * left out, so the others do not wait long.
 *
 * @param about names the item in the log
 * @param call returns false for a failure that the object has logged itself
 * @returns how many failed
 */
export async function callEach<Item>(
  items: readonly Item[],
  about: (item: Item) => Readonly<Record<string, unknown>>,
  call: (item: Item) => Promise<boolean>,
): Promise<number> {
  let failures = 0;
  const callOne = async (item: Item) => {
    try {
      if (!(await inTime(CALL_MS, call(item)))) failures += 1;
    } catch (error) {
      failures += 1;
      logFailure("schedule", about(item), error);
    }
  };
  for (let at = 0; at < items.length; at += AT_ONCE)
    await Promise.all(items.slice(at, at + AT_ONCE).map(callOne));
  return failures;
}
