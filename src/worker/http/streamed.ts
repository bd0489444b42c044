import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { tooManyOfToken } from "#worker/following/follower-limits.ts";
import { type IsThere, watchToken, whileAllowed } from "#worker/following/watch-token.ts";

/**
 * A body that is produced as the client reads, without buffering ahead. For HEAD, nothing is produced. The body fails
 * if the client reads so slowly that its token expires meanwhile.
 */
export function streamed(
  caller: Pick<Context, "clock" | "isStillAllowed">,
  chunks: AsyncGenerator<string>,
): BodyInit {
  return bodyOf(whileAllowed(caller, chunks));
}

function bodyOf(chunks: AsyncGenerator<string>, onCancel: () => void = () => undefined): BodyInit {
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

/** After this time an event stream ends, and the client reconnects. */
const MAX_FOLLOW_MS = 15 * 60 * 1000;

type StreamOptions = {
  readonly isThere?: IsThere;
  readonly maxMs?: number;
};

/**
 * A stream of server-sent events. Ends within 10 s after its token was revoked, has expired or has other rights. Refuses
 * a token that has too many streams in this isolate.
 */
export function eventStream(
  caller: Pick<Context, "streams" | "token" | "clock" | "limits" | "isStillAllowed">,
  eventsOf: (signal: AbortSignal) => AsyncGenerator<string>,
  { isThere = null, maxMs = MAX_FOLLOW_MS }: StreamOptions = {},
): Result<{ response: Response }, "too_many_followers"> {
  const { streams, token, clock } = caller;
  if (streams.isFull(token.id, clock.now())) return tooManyOfToken;
  const aborted = new AbortController();
  const abort = () => aborted.abort();
  const headers = {
    "content-type": "text/event-stream",
    // Some proxies buffer responses without this header.
    "x-accel-buffering": "no",
    vary: "accept",
  };
  const begin = () => {
    const timer = setTimeout(abort, maxMs);
    const ends = [
      () => clearTimeout(timer),
      streams.open(token.id, clock.now() + maxMs),
      watchToken(caller, abort, isThere),
    ];
    return () => ends.forEach((end) => end());
  };
  const body = bodyOf(limited(eventsOf(aborted.signal), aborted.signal, begin), abort);
  return succeed({ response: new Response(body, { headers }) });
}

async function* limited(
  chunks: AsyncGenerator<string>,
  signal: AbortSignal,
  begin: () => () => void,
): AsyncGenerator<string> {
  const end = begin();
  try {
    for await (const chunk of chunks) {
      // A source that has nothing to wait for does not notice the signal.
      if (signal.aborted) return;
      yield chunk;
    }
  } finally {
    end();
  }
}
