import { followLog } from "#client/follow-log.ts";
import type { FollowedLogEvent } from "#client/log-event-reader.ts";
import type { DeploymentId, ServerId } from "#contract/ids.ts";
import type { Problem } from "#contract/problems.ts";
import { isHeld } from "#cli/session/is-held.ts";
import { waitingText } from "#cli/views/deployment-text.ts";
import type { Installation } from "#action/installation.ts";
import { LogPrinter } from "#action/log-printer.ts";
import type { Runner } from "#action/runner.ts";

/**
 * How the following ended. `held`: by a freeze or a missing approval. `lost`: the installation cannot be reached. `stopped`: the job
 * was canceled. `timed_out`: after the time of the input.
 */
export type FollowEnd =
  | { readonly kind: "ended"; readonly status: Extract<FollowedLogEvent, { type: "end" }>["status"] }
  | { readonly kind: "held"; readonly why: string }
  | { readonly kind: "lost"; readonly problem: Problem }
  | { readonly kind: "stopped" | "timed_out" };

export type Followed = {
  readonly id: DeploymentId;
  /** The `Gantry-Bookmark` of the answer to the start. */
  readonly bookmark: string | null;
  readonly timeoutMs: number | null;
  /** Aborted when the job is canceled. */
  readonly signal: AbortSignal;
  /** What a line of one of several servers begins with. */
  readonly nameOf: (server: ServerId) => string;
};

/** For how long to open a lost connection again. */
const RECONNECT_MS = 600_000;
/** When to read what the deployment waits for: after the first time, then at intervals of the second. */
const FIRST_LOOK_MS = 2_000;
const NEXT_LOOK_MS = 15_000;
/** The longest time of a timer. */
const MOST_MS = 2_147_483_647;

/** Prints the log of a deployment until it ends. Never throws. */
export async function follow(
  runner: Runner,
  { client, transport }: Pick<Installation, "client" | "transport">,
  { id, bookmark, timeoutMs, signal, nameOf }: Followed,
): Promise<FollowEnd> {
  const held = new AbortController();
  const timeout = AbortSignal.timeout(Math.min(timeoutMs ?? MOST_MS, MOST_MS));
  const ended = AbortSignal.any([signal, held.signal, timeout]);
  const printer = new LogPrinter(runner, nameOf);
  let why = "";
  let printed = "";
  const look = async (): Promise<void> => {
    timer = setTimeout(() => void look(), NEXT_LOOK_MS);
    const read = await client.getDeployment({ params: { deployment_id: id } });
    if (!read.ok || read.value.waiting_on === null || ended.aborted) return;
    const { version, waiting_on: waiting } = read.value;
    why = waitingText(waiting, null);
    if (why !== printed) runner.line(`v${version} is waiting ${why}`);
    printed = why;
    if (isHeld(read.value)) held.abort();
  };
  let timer = setTimeout(() => void look(), FIRST_LOOK_MS);
  let lostAt: number | null = null;
  try {
    for await (const event of followLog(transport, id, { bookmark, signal: ended })) {
      switch (event.type) {
        case "line":
          lostAt = null;
          printer.print(event.line);
          break;
        case "waiting":
          if (lostAt === null) runner.line(`${event.problem.detail} The deployment continues. Trying again.`);
          lostAt ??= performance.now();
          if (performance.now() - lostAt + event.ms > RECONNECT_MS)
            return { kind: "lost", problem: event.problem };
          break;
        case "end":
          return { kind: "ended", status: event.status };
        case "problem":
          return { kind: "lost", problem: event.problem };
      }
    }
  } finally {
    clearTimeout(timer);
    printer.end();
  }
  if (signal.aborted) return { kind: "stopped" };
  return held.signal.aborted ? { kind: "held", why } : { kind: "timed_out" };
}
