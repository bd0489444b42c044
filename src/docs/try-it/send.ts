import type { TriedRequest } from "#docs/try-it/request.ts";

/** An answer so far: a stream grows until it ends or the reader stops it. */
export type Answer = {
  readonly status: number;
  readonly statusText: string;
  readonly milliseconds: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
};

/** The most characters that are shown of a body. */
const MOST_CHARACTERS = 200_000;

/**
 * Sends a request, and reports the answer each time that more of it has come.
 * @throws the browser's error, also after an abort
 */
export async function sendTried(
  { address, init }: TriedRequest,
  signal: AbortSignal,
  show: (answer: Answer) => void,
): Promise<void> {
  const start = performance.now();
  const response = await fetch(address, { ...init, signal });
  const head = {
    status: response.status,
    statusText: response.statusText,
    milliseconds: Math.round(performance.now() - start),
    headers: [...response.headers],
  };
  show({ ...head, body: "" });
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let body = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    body += value;
    show({ ...head, body });
    if (body.length > MOST_CHARACTERS) {
      await reader.cancel();
      show({ ...head, body: `${body.slice(0, MOST_CHARACTERS)}\n… (cut off)` });
      return;
    }
  }
  show({ ...head, body: formatted(body) });
}

/** JSON with indentation; other text as it is. */
function formatted(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
