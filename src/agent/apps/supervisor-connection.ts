import { startSupervisor } from "#agent/apps/start-supervisor.ts";
import type { SupervisorResult } from "#agent/apps/supervisor.ts";
import { type HttpAnswer, type HttpRequest, sendRequest } from "#agent/lib/http/send-request.ts";
import { ControlError } from "#agent/supervisor/protocol.ts";
import { prepareSocketFolder, supervisorSocket } from "#agent/supervisor/socket-path.ts";
import { readInstances } from "#agent/supervisor/state-file.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { pause } from "#contract/lib/pause.ts";
import { succeed } from "#contract/lib/result.ts";
import { parseJson } from "#contract/parse-json.ts";

const ANSWER_MS = 15_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** How long a supervisor may take to start on a busy machine. */
const START_MS = 15_000;
const START_POLL_MS = 50;

export type SupervisorOptions = {
  readonly home: string;
  /** The agent's file, which also contains the supervisor. */
  readonly program: string;
  readonly environment: NodeJS.ProcessEnv;
};

/** `timeoutMs`: 15 s by default. */
export type ControlRequest = Pick<HttpRequest, "method" | "body"> & {
  readonly path: string;
  readonly timeoutMs?: number;
};

export type SupervisorConnection = {
  /**
   * Sends a request, and once more to a new supervisor if none answers. So a request must be safe to repeat.
   * @returns the body of the answer
   */
  ask(request: ControlRequest): Promise<SupervisorResult<unknown>>;
  /** As `ask`, but null if there is no supervisor and none is needed, because no instance runs. */
  askIfNeeded(request: ControlRequest): Promise<SupervisorResult<unknown> | null>;
};

/** The connection to a home's supervisor, which is started when it does not answer. */
export function connectSupervisor({ home, program, environment }: SupervisorOptions): SupervisorConnection {
  const socketPath = supervisorSocket(home);
  let starting: Promise<void> | null = null;

  const send = ({ path, timeoutMs = ANSWER_MS, ...request }: ControlRequest): Promise<HttpAnswer> =>
    sendRequest({
      ...request,
      url: new URL(`http://supervisor.localhost${path}`),
      headers: { "content-type": "application/json" },
      socketPath,
      timeoutMs,
      maxBodyBytes: MAX_ANSWER_BYTES,
    });

  async function start(): Promise<void> {
    await prepareSocketFolder(home, socketPath);
    startSupervisor(home, program, environment);
    const deadline = performance.now() + START_MS;
    const isAnswering = async () => (await send({ method: "GET", path: "/instances" })).kind === "answered";
    while (!(await isAnswering()) && performance.now() < deadline) await pause(START_POLL_MS);
  }

  /** After a request that nobody answered. */
  async function askAgain(request: ControlRequest): Promise<SupervisorResult<unknown>> {
    try {
      await (starting ??= start().finally(() => (starting = null)));
    } catch (error) {
      return { ok: false, reason: `the supervisor does not start: ${messageOf(error)}` };
    }
    return readAnswer(await send(request));
  }

  return {
    async ask(request) {
      const answer = await send(request);
      return answer.kind === "failed" ? askAgain(request) : readAnswer(answer);
    },
    async askIfNeeded(request) {
      const answer = await send(request);
      if (answer.kind !== "failed") return readAnswer(answer);
      return (await readInstances(home)).instances.length === 0 ? null : askAgain(request);
    },
  };
}

function readAnswer(answer: HttpAnswer): SupervisorResult<unknown> {
  switch (answer.kind) {
    case "answered": {
      const json = parseJson(answer.body);
      if (answer.status === 200) return succeed(json);
      const reason = ControlError.safeParse(json).data?.error ?? `it answered ${answer.status}`;
      return { ok: false, reason: `the supervisor: ${reason}` };
    }
    case "failed":
      return { ok: false, reason: `the supervisor cannot be reached: ${answer.reason}` };
    case "hung":
    case "aborted":
      return { ok: false, reason: "the supervisor does not answer" };
  }
}
