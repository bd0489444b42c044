/** A body that is made as the client takes it: nothing is made ahead, and nothing for HEAD. */
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
 * A stream of events. It ends after `maxMs` at the latest, so that a client comes again and shows its token again: a
 * revoked one does not go on for ever.
 */
export function eventStream(
  eventsOf: (signal: AbortSignal) => AsyncGenerator<string>,
  maxMs: number,
): Response {
  const aborted = new AbortController();
  const abort = () => aborted.abort();
  const headers = {
    "content-type": "text/event-stream",
    // Some proxies gather an answer before they pass it on, unless they are told not to.
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
