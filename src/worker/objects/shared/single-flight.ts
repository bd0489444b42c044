/**
 * Wraps a job so that only one run is active at a time. Each call's promise resolves with a run that began after the
 * call, so that run sees what the caller saved before. Calls during a run share the next run.
 */
export function singleFlight(job: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  function begin(): Promise<void> {
    const run = job().finally(() => {
      if (running === run) running = null;
    });
    running = run;
    return run;
  }

  return () => {
    if (running === null) return begin();
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = null;
        return begin();
      });
    return next;
  };
}
