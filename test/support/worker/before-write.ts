import { env } from "cloudflare:workers";

import { aroundCalls } from "./intercept.ts";
import { onPrepare } from "./statements.ts";

/**
 * Does something once, directly before the next transaction that has a statement that begins like this. So the request of the
 * transaction was authenticated before, as by another isolate that has cached its sender.
 */
export function beforeWrite(start: string, act: () => Promise<unknown>): void {
  let isDue = false;
  let isDone = false;
  onPrepare((text) => {
    isDue ||= text.startsWith(start);
  });
  // The database hands its batches to a session too.
  aroundCalls(Object.getPrototypeOf(env.DB.withSession()), "batch", async (original) => {
    if (isDue && !isDone) {
      isDone = true;
      await act();
    }
    return await original();
  });
}
