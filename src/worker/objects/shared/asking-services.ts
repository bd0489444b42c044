import { near, type ServerLocation } from "#worker/objects/location.ts";
import type { AskingServices } from "#worker/operations/repositories/ask-for-repository.ts";

/** What an object needs to ask the agents of its account's servers, besides its rows. */
export function askingServices(env: Env): Omit<AskingServices, "rows"> {
  return {
    links: env.AGENT_LINK,
    near: (location: ServerLocation) => near(location, env),
    origin: env.PUBLIC_URL,
    randomBytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
  };
}
