import { pause } from "#contract/lib/pause.ts";

/**
 * Wraps a job so that it runs some time after a call, once for all calls until then. Each call's promise resolves with a
 * run that began after the call.
 */
export function merged(job: () => Promise<void>, withinMs: number): () => Promise<void> {
  let next: Promise<void> | null = null;
  return () =>
    (next ??= pause(withinMs).then(() => {
      next = null;
      return job();
    }));
}
