/**
 * Has a local Worker do what its cron trigger does, through the door that its runtime has for it. It is an ordinary
 * request: Miniflare's own `getWorker()` stops this process until the Worker has answered, and the Worker may be waiting
 * for this process to read its log.
 *
 * @param url of the Worker
 * @throws where it failed; the Worker's log says why
 */
export async function runSchedule(url: string): Promise<void> {
  const answer = await fetch(`${url}/cdn-cgi/local/scheduled`);
  const outcome = await answer.text();
  if (!answer.ok) throw new Error(`it ended with ${outcome}`);
}

/** As often as the cron trigger of wrangler.toml. */
const EVERY_MS = 60 * 60 * 1000;
/** Not at once, so that it does not slow the start; soon, because many starts do not last an hour. */
const FIRST_AFTER_MS = 5_000;

/**
 * Runs what Cloudflare runs by its cron triggers, which nothing fires locally. A run that fails does not end the rest.
 *
 * @param run ends when the run has
 * @returns ends it
 */
export function keepSchedule(
  run: () => Promise<void>,
  { firstAfterMs = FIRST_AFTER_MS, everyMs = EVERY_MS } = {},
): () => void {
  const runAndGoOn = async () => {
    await run().catch((error: unknown) => console.error(`gantry: the schedule failed: ${String(error)}`));
    if (timer !== null) timer = after(everyMs);
  };
  const after = (ms: number) => setTimeout(() => void runAndGoOn(), ms).unref();
  let timer: NodeJS.Timeout | null = after(firstAfterMs);
  return () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
}
