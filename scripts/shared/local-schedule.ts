/**
 * Runs the cron trigger of a local Worker, through the endpoint that its runtime has for this. Miniflare's own
 * `getWorker()` would block this process until the Worker responds, and the Worker may wait for this process to read its
 * log.
 *
 * @param url the address of the Worker
 * @throws if the run failed; the Worker's log has the reason
 */
export async function runSchedule(url: string): Promise<void> {
  const response = await fetch(`${url}/cdn-cgi/local/scheduled`);
  const outcome = await response.text();
  if (!response.ok) throw new Error(`the run ended with ${outcome}`);
}

/** As often as the cron trigger of wrangler.toml. */
const EVERY_MS = 5 * 60 * 1000;
/** Late enough not to slow down the start. */
const FIRST_AFTER_MS = 5_000;

/**
 * Calls `run` on the schedule of the cron trigger, which does not fire locally. A failed run does not stop later runs.
 *
 * @returns stops the schedule
 */
export function keepSchedule(
  run: () => Promise<void>,
  { firstAfterMs = FIRST_AFTER_MS, everyMs = EVERY_MS } = {},
): () => void {
  const runAndRepeat = async () => {
    await run().catch((error: unknown) => console.error(`gantry: the schedule failed: ${String(error)}`));
    if (timer !== null) timer = after(everyMs);
  };
  const after = (ms: number) => setTimeout(() => void runAndRepeat(), ms).unref();
  let timer: NodeJS.Timeout | null = after(firstAfterMs);
  return () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
}
