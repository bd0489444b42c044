import { env } from "cloudflare:workers";
import { vi } from "vitest";

/** Makes all batches in D1 fail, as in an outage. @returns a function that ends the outage */
export function withoutDatabase(): () => void {
  const down = vi
    .spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch")
    .mockRejectedValue(new Error("D1 is down"));
  return () => down.mockRestore();
}
