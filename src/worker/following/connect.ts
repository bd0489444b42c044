import type { Result } from "#contract/problems.ts";

/** Connects to an object that is followed. @throws if it cannot be reached */
export type Connect<Follower> = () => Promise<Result<Follower, "too_many_followers">>;

/** @throws also if the object has too many followers: the next try may succeed */
export async function connected<Follower>(connect: Connect<Follower>): Promise<Follower> {
  const result = await connect();
  if (!result.ok) throw new Error(result.refusal.detail);
  return result.value;
}

/**
 * Connects once before a stream begins, so that a refusal is the response to the request.
 * @returns what connects the stream: first with this connection, later with others. An object that cannot be reached may be
 * reached by then.
 */
export async function connectFirst<Follower>(
  connect: Connect<Follower>,
): Promise<Result<Connect<Follower>, "too_many_followers">> {
  let first = await connect().catch(() => null);
  if (first?.ok === false) return first;
  const next = async () => {
    const result = first ?? (await connect());
    first = null;
    return result;
  };
  return { ok: true, value: next };
}
