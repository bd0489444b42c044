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
