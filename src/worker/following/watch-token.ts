import type { Context } from "#worker/context.ts";
import { logFailure } from "#worker/log-failure.ts";

/** How often a response that takes long reads its token again. It ends within 10 s of a revocation, also if D1 is slow. */
export const TOKEN_CHECK_MS = 7_000;

/** The part of an invocation's statements that these reads may take. The rest is for what the stream reads. */
const SHARE_OF_STATEMENTS = 0.4;

type Watched = Pick<Context, "token" | "limits" | "isStillAllowed">;

/** Reads whether the followed object still exists; null: the stream ends by itself. */
export type IsThere = (() => Promise<boolean>) | null;

/**
 * Calls `end` soon after the token has expired, was revoked or has other rights, and after the most reads that the plan
 * allows: the client connects again. A failed read ends nothing: while D1 fails, no token can be revoked.
 * @param isThere checked with the token
 * @returns stops watching
 */
export function watchToken(watched: Watched, end: () => void, isThere: IsThere): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const readsOfCheck = isThere === null ? 1 : 2;
  let checksLeft = Math.floor((watched.limits.statements * SHARE_OF_STATEMENTS) / readsOfCheck);
  let isStopped = false;
  const check = async () => {
    checksLeft -= 1;
    const mayContinue = checksLeft > 0 && (await isAllowed(watched, isThere));
    if (isStopped) return;
    if (mayContinue) wait();
    else end();
  };
  const wait = () => {
    timer = setTimeout(() => void check(), TOKEN_CHECK_MS);
  };
  wait();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

async function isAllowed({ isStillAllowed, token }: Watched, isThere: IsThere): Promise<boolean> {
  try {
    return (await isStillAllowed()) && (isThere === null || (await isThere()));
  } catch (error) {
    logFailure("check token of a stream", { token_id: token.id }, error);
    return true;
  }
}

/** Passes chunks on. @throws when the token is no longer allowed: a client must not take a part for the whole */
export async function* whileAllowed<Chunk>(
  { clock, isStillAllowed }: Pick<Context, "clock" | "isStillAllowed">,
  chunks: AsyncIterable<Chunk>,
): AsyncGenerator<Chunk> {
  let checkedAt = clock.now();
  for await (const chunk of chunks) {
    if (clock.now() - checkedAt >= TOKEN_CHECK_MS) {
      if (!(await isStillAllowed())) throw new Error("the token of this download has ended");
      checkedAt = clock.now();
    }
    yield chunk;
  }
}
