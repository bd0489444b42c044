import { clientEndpoints } from "#contract/endpoints/client-endpoints.ts";
import type { DeploymentId } from "#contract/ids.ts";
import { LOG_HEARTBEAT_MS } from "#contract/endpoints/logs/schemas.ts";
import type { Problem } from "#contract/problems.ts";
import { problemIn, unexpected, unreachable } from "#client/answer.ts";
import { Connection } from "#client/connection.ts";
import { type FollowedLogEvent, LogEventReader } from "#client/log-event-reader.ts";
import { headersOf, type Transport, urlOf } from "#client/request.ts";
import { isPassing, retryAfterMs, retryDelayMs } from "#client/retry.ts";
import { pause } from "#contract/lib/pause.ts";

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

/** A stream may well end without a line, and be cut. After so many in a row in which nothing came, that is told. */
const MAX_CUTS = 3;

type Progress = {
  last: number;
  bookmark: string | null;
  /** Connections in a row in which nothing came. */
  failures: number;
  gaps: number;
  /** When the last bytes came, heartbeats included, by `performance.now()`. */
  heardAt: number;
};

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
  const progress = { last: afterLine, bookmark, failures: 0, gaps: 0, heardAt: 0 };
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
    // Nothing but heartbeats is a sign of life too. A stream begins with one, which is none.
    if (progress.heardAt - beganAt > followed.silenceMs / 4) progress.failures = 0;
    progress.failures += 1;
    const ms = Math.max(retryDelayMs(progress.failures), again.afterMs);
    const isTold = !again.isCut || progress.failures > MAX_CUTS;
    if (isTold) yield { type: "waiting", problem: again.problem, ms };
    await pause(ms, followed.signal);
  }
}

/** Why and when at the soonest to connect again. `isCut`: a stream had begun. null: it is over. */
type Again = { readonly problem: Problem; readonly afterMs: number; readonly isCut: boolean } | null;

const brokeOff = new Error("the log breaks off");

function noAnswer(error: unknown, baseUrl: string, isCut: boolean): Again {
  return { problem: unreachable(error, baseUrl).problem, afterMs: 0, isCut };
}

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
    const url = urlOf(clientEndpoints.getDeploymentLog, request, transport);
    return await transport.fetch(url, { headers: headersOf(request, transport), signal });
  });
  if (!answered.ok) return noAnswer(answered.error, baseUrl, false);
  const { ok, status, headers, body } = answered.value;
  if (!ok) {
    const text = await connection.wait(answered.value.text());
    const { problem } = problemIn(text.ok ? text.value : "", answered.value, baseUrl);
    if (isPassing(status)) return { problem, afterMs: retryAfterMs(headers), isCut: false };
    yield { type: "problem", problem };
    return null;
  }
  if (body === null || headers.get("content-type")?.startsWith("text/event-stream") !== true) {
    yield { type: "problem", problem: unexpected(status, baseUrl).problem };
    return null;
  }
  progress.bookmark = headers.get("gantry-bookmark") ?? progress.bookmark;
  const ending = yield* readEvents(body, new LogEventReader(progress.last, baseUrl), progress, connection);
  return ending === null ? null : noAnswer(ending, baseUrl, true);
}

/** @returns why the stream broke off; null: it is over */
async function* readEvents(
  body: ReadableStream<Uint8Array>,
  reader: LogEventReader,
  progress: Progress,
  connection: Connection,
): AsyncGenerator<FollowedLogEvent, unknown> {
  const chunks = body.getReader();
  try {
    for (;;) {
      const chunk = await connection.wait(chunks.read());
      if (!chunk.ok) return chunk.error;
      if (chunk.value.value === undefined) return brokeOff;
      progress.heardAt = performance.now();
      for (const event of reader.take(chunk.value.value)) {
        if (event.type === "gap") {
          progress.gaps += 1;
          // What follows is passed over, and asked for again together with what is missing.
          if (progress.gaps < MAX_GAPS) return brokeOff;
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
