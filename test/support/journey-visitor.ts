import { setTimeout as pause } from "node:timers/promises";

/** A client that requests a site continuously. */
export type Visitor = {
  /** The number of requests so far. */
  requests(): number;
  /** Ends the visit. @returns the failures */
  leave(): Promise<string[]>;
};

export function visit(url: string): Visitor {
  let isThere = true;
  let requests = 0;
  const failures: string[] = [];
  const visiting = (async () => {
    while (isThere) {
      try {
        const answer = await fetch(url, { signal: AbortSignal.timeout(30_000) });
        await answer.text();
        if (answer.status !== 200) failures.push(`status ${answer.status}`);
      } catch (error) {
        failures.push(String(error));
      }
      requests += 1;
      // Otherwise the visitor takes a core of its own.
      await pause(10);
    }
  })();
  return {
    requests: () => requests,
    async leave() {
      isThere = false;
      await visiting;
      return failures;
    },
  };
}
