/** Runs a job when fewer than the limit are running. */
export type Limited = <Value>(job: () => Promise<Value>) => Promise<Value>;

/** Limits how many jobs run at the same time. The others wait in their order. */
export function limitParallel(limit: number): Limited {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (job) => {
    if (running < limit) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
