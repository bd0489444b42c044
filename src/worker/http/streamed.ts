import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { tooManyOfToken } from "#worker/following/follower-limits.ts";

/** A body that is produced as the client reads it, without buffering ahead. For HEAD, none of it is produced. */
export function streamed(chunks: AsyncGenerator<string>, onCancel: () => void = () => undefined): BodyInit {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await chunks.next();
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
      async cancel() {
        onCancel();
        await chunks.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/** After this time an event stream ends, and the client reconnects with its token. */
const MAX_FOLLOW_MS = 15 * 60 * 1000;

/**
 * A stream of server-sent events. Ends after a while, so that the client reconnects with its token: otherwise a revoked
 * token could read forever. Refuses a token that has too many streams in this isolate.
 */
export function eventStream(
  { streams, token, clock }: Pick<Context, "streams" | "token" | "clock">,
  eventsOf: (signal: AbortSignal) => AsyncGenerator<string>,
  maxMs = MAX_FOLLOW_MS,
): Result<{ response: Response }, "too_many_followers"> {
  if (streams.isFull(token.id, clock.now())) return tooManyOfToken;
  const aborted = new AbortController();
  const abort = () => aborted.abort();
  const headers = {
    "content-type": "text/event-stream",
    // Some proxies buffer responses without this header.
    "x-accel-buffering": "no",
    vary: "accept",
  };
  const open = () => streams.open(token.id, clock.now() + maxMs);
  const body = streamed(limited(eventsOf(aborted.signal), maxMs, open, abort), abort);
  return succeed({ response: new Response(body, { headers }) });
}

async function* limited(
  chunks: AsyncGenerator<string>,
  maxMs: number,
  open: () => () => void,
  abort: () => void,
): AsyncGenerator<string> {
  const timer = setTimeout(abort, maxMs);
  const close = open();
  try {
    yield* chunks;
  } finally {
    clearTimeout(timer);
    close();
  }
}
