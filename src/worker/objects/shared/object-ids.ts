import { createIdGenerator, type IdGenerator } from "#contract/ids.ts";

/** The ids that a Durable Object makes. They rise as long as the object lives. */
export function createObjectIds(): IdGenerator {
  return createIdGenerator({
    now: () => Date.now(),
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  });
}
