import type { ClientResult } from "#client/send.ts";
import { isTemporary, retryDelayMs } from "#client/retry.ts";
import { pause } from "#contract/lib/pause.ts";
import type { Problem } from "#contract/problems.ts";

/** A part of an output that a server keeps. `complete`: what prints it has ended, and this is the last part. */
type Part = { readonly next_offset: number; readonly complete: boolean };

/**
 * `waiting`: the output cannot be read now; the next try is in `ms` milliseconds. `problem`: it cannot be read; always the
 * last event.
 */
export type FollowedPart<Value> =
  | { readonly type: "part"; readonly part: Value }
  | { readonly type: "waiting"; readonly problem: Problem; readonly ms: number }
  | { readonly type: "problem"; readonly problem: Problem };

export type FollowPartsOptions = {
  /** Where the output continues after an earlier part. */
  readonly offset?: number;
  /** How long the server waits for new output before it answers. */
  readonly waitSeconds: number;
  /** Ends the iteration without another event. */
  readonly signal: AbortSignal;
};

/** After an answer without output, because a server may answer without waiting. */
const QUIET_MS = 200;

/**
 * Follows the output of a one-off command or a run of a cron job to its end, part by part, until `signal` is aborted or
 * the loop is left. A request that fails is repeated from the same offset, so a lost connection loses no line. It never
 * throws.
 */
export async function* followParts<Value extends Part>(
  read: (query: { offset: number; wait_seconds: number }) => Promise<ClientResult<Value>>,
  { offset = 0, waitSeconds, signal }: FollowPartsOptions,
): AsyncGenerator<FollowedPart<Value>> {
  let next = offset;
  let failures = 0;
  while (!signal.aborted) {
    const result = await read({ offset: next, wait_seconds: waitSeconds });
    if (result.ok) {
      // Also after an abort: the consumer does not get these lines again.
      failures = 0;
      const { next_offset: end, complete } = result.value;
      const isNothing = end === next;
      next = end;
      yield { type: "part", part: result.value };
      if (complete) return;
      if (isNothing) await pause(QUIET_MS, signal);
      continue;
    }
    if (signal.aborted) return;
    const { problem } = result;
    if (!isWorthRetrying(problem)) {
      yield { type: "problem", problem };
      return;
    }
    failures += 1;
    const ms = retryDelayMs(failures);
    yield { type: "waiting", problem, ms };
    await pause(ms, signal);
  }
}

/** Whether the server may answer later. A proxy on the way causes `unexpected_answer`. */
function isWorthRetrying({ code, status }: Problem): boolean {
  return code === "server_offline" || code === "unexpected_answer" || isTemporary(status);
}
