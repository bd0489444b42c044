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

/**
 * A stream of server-sent events. Ends after `maxMs`, so that the client reconnects with its token: otherwise a revoked
 * token could read for ever.
 */
export function eventStream(
  eventsOf: (signal: AbortSignal) => AsyncGenerator<string>,
  maxMs: number,
): Response {
  const aborted = new AbortController();
  const abort = () => aborted.abort();
  const headers = {
    "content-type": "text/event-stream",
    // Some proxies buffer responses without this header.
    "x-accel-buffering": "no",
    vary: "accept",
  };
  return new Response(streamed(limited(eventsOf(aborted.signal), maxMs, abort), abort), { headers });
}

async function* limited(
  chunks: AsyncGenerator<string>,
  maxMs: number,
  abort: () => void,
): AsyncGenerator<string> {
  const timer = setTimeout(abort, maxMs);
  try {
    yield* chunks;
  } finally {
    clearTimeout(timer);
  }
}
