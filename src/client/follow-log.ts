import { endpoints } from "#contract/endpoints.ts";
import type { DeploymentId } from "#contract/ids.ts";
import { LOG_HEARTBEAT_MS } from "#contract/logs.ts";
import type { Problem } from "#contract/problems.ts";
import { problemIn, unexpected, unreachable } from "#client/answer.ts";
import { Connection } from "#client/connection.ts";
import { type FollowedLogEvent, LogEventReader } from "#client/log-event-reader.ts";
import { headersOf, type Transport, urlOf } from "#client/request.ts";
import { backOffMs, isPassing, pause, retryAfterMs } from "#client/retry.ts";

export type FollowLogOptions = {
  /** The line that has been read last; 0 where none has. */
  readonly afterLine?: number;
  /** The `Gantry-Bookmark` of the answer that told of the deployment: a replica of the database may not know it yet. */
  readonly bookmark?: string | null;
  /** Ends the following at any moment, without another event. Leaving the loop does so between two events. */
  readonly signal?: AbortSignal;
  /** After so many milliseconds without a sign of life a connection counts as cut. */
  readonly silenceMs?: number;
};

/** As often the same lines may be missing: then they are not late, but lost. */
const MAX_GAPS = 5;

type Progress = { last: number; bookmark: string | null; failures: number; gaps: number };

type Followed = {
  readonly transport: Transport;
  readonly deploymentId: DeploymentId;
  readonly silenceMs: number;
  readonly signal: AbortSignal | undefined;
};

/**
 * Follows a deployment's log to its end: the lines so far, then each as it is written, each once and in order. Where
 * the connection is cut or falls silent, or the control plane cannot answer for now, it tries again, ever more seldom,
 * and goes on after the last line; it does so until `signal` is aborted or the loop is left. It never throws, and reads
 * no further than it is asked for.
 */
export async function* followLog(
  transport: Transport,
  deploymentId: DeploymentId,
  { afterLine = 0, bookmark = null, signal, silenceMs = 3 * LOG_HEARTBEAT_MS }: FollowLogOptions = {},
): AsyncGenerator<FollowedLogEvent> {
  const progress = { last: afterLine, bookmark, failures: 0, gaps: 0 };
  for await (const event of connections({ transport, deploymentId, silenceMs, signal }, progress)) {
    if (signal?.aborted === true) return;
    yield event;
  }
}

async function* connections(followed: Followed, progress: Progress): AsyncGenerator<FollowedLogEvent> {
  while (followed.signal?.aborted !== true) {
    const beganAt = performance.now();
    const again = yield* connect(followed, progress);
    if (again === null) return;
    // A stream may well end after its time without a line.
    if (performance.now() - beganAt > followed.silenceMs) progress.failures = 0;
    progress.failures += 1;
    const ms = Math.max(backOffMs(progress.failures), again.afterMs);
    if (again.problem !== null) yield { type: "waiting", problem: again.problem, ms };
    await pause(ms, followed.signal);
  }
}

/** Why and when at the soonest to connect again; without a problem where a stream was cut. null: it is over. */
type Again = { readonly problem: Problem | null; readonly afterMs: number } | null;

const wasCut: Again = { problem: null, afterMs: 0 };

async function* connect(followed: Followed, progress: Progress): AsyncGenerator<FollowedLogEvent, Again> {
  const connection = new Connection(followed.silenceMs, followed.signal);
  try {
    return yield* ask(followed, progress, connection);
  } finally {
    connection.end();
  }
}

async function* ask(
  { transport, deploymentId }: Followed,
  progress: Progress,
  connection: Connection,
): AsyncGenerator<FollowedLogEvent, Again> {
  const { baseUrl } = transport;
  const request = {
    params: { deployment_id: deploymentId },
    headers: {
      accept: "text/event-stream",
      "last-event-id": String(progress.last),
      ...(progress.bookmark === null ? {} : { "gantry-bookmark": progress.bookmark }),
    },
  };
  const answered = await connection.answer(async (signal) => {
    const url = urlOf(endpoints.getDeploymentLog, request, transport);
    return await transport.fetch(url, { headers: headersOf(request, transport), signal });
  });
  if (!answered.ok) return { problem: unreachable(answered.error, baseUrl).problem, afterMs: 0 };
  const { ok, status, headers, body } = answered.value;
  if (!ok) {
    const text = await connection.wait(answered.value.text());
    const { problem } = problemIn(text.ok ? text.value : "", status, baseUrl);
    if (isPassing(status)) return { problem, afterMs: retryAfterMs(headers) };
    yield { type: "problem", problem };
    return null;
  }
  if (body === null || headers.get("content-type")?.startsWith("text/event-stream") !== true) {
    yield { type: "problem", problem: unexpected(status, baseUrl).problem };
    return null;
  }
  progress.bookmark = headers.get("gantry-bookmark") ?? progress.bookmark;
  return yield* readEvents(body, new LogEventReader(progress.last, baseUrl), progress, connection);
}

async function* readEvents(
  body: ReadableStream<Uint8Array>,
  reader: LogEventReader,
  progress: Progress,
  connection: Connection,
): AsyncGenerator<FollowedLogEvent, Again> {
  const chunks = body.getReader();
  try {
    for (;;) {
      const chunk = await connection.wait(chunks.read());
      if (!chunk.ok || chunk.value.value === undefined) return wasCut;
      for (const event of reader.take(chunk.value.value)) {
        if (event.type === "gap") {
          progress.gaps += 1;
          // What follows is passed over, and asked for again together with what is missing.
          if (progress.gaps < MAX_GAPS) return wasCut;
          yield { type: "problem", problem: event.problem };
          return null;
        }
        if (event.type === "line") progress.last = event.line.line;
        progress.failures = 0;
        progress.gaps = 0;
        yield event;
        if (event.type !== "line") return null;
      }
    }
  } finally {
    void chunks.cancel().catch(() => undefined);
  }
}
