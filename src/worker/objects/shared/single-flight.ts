/**
 * Makes a job that many callers ask for run once at a time. Each call's promise stands for a run that began after the
 * call, so what the caller saved before it is done by then; calls that come during a run share the next one.
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
