import { call } from "./call.ts";
import type { World } from "./world.ts";

/** A weekly freeze of the afternoon and evening of Friday. */
export const friday = {
  type: "weekly",
  days: ["friday"],
  from: "16:00",
  to: "00:00",
  timezone: "Europe/Berlin",
} as const;

/** Sends a request that creates a freeze. */
export async function createFreeze(
  world: World,
  body: unknown,
  token = world.account.token,
): Promise<Response> {
  return await call("/v1/freezes", { method: "POST", token, body });
}
