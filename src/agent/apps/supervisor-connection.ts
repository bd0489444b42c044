import { startSupervisor } from "#agent/apps/start-supervisor.ts";
import type { SupervisorResult } from "#agent/apps/supervisor.ts";
import { AGENT_VERSION } from "#agent/context/version.ts";
import { type HttpAnswer, type HttpRequest, sendRequest } from "#agent/lib/http/send-request.ts";
import { About, InstanceCommands, ControlError } from "#agent/supervisor/protocol.ts";
import { prepareSocketFolder, supervisorSocket } from "#agent/supervisor/socket-path.ts";
import { readInstances } from "#agent/supervisor/state-file.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { pause } from "#contract/lib/pause.ts";
import { succeed } from "#contract/lib/result.ts";
import { parseJson } from "#contract/parse-json.ts";

const ANSWER_MS = 15_000;
/** The commands of all instances, with their environments. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** How long a supervisor may take to start on a busy machine. */
const START_MS = 15_000;
const START_POLL_MS = 50;
const START_AGAIN_MS = 200;

export type SupervisorOptions = {
  readonly home: string;
  /** The agent's file, which also contains the supervisor. Null if another program keeps the supervisor running. */
  readonly program: string | null;
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
export function connectSupervisor(options: SupervisorOptions): SupervisorConnection {
  const { home, program, environment } = options;
  const socketPath = supervisorSocket(home);
  let starting: Promise<void> | null = null;
  let renewal: Promise<void> | null = null;

  const send = ({ path, timeoutMs = ANSWER_MS, ...request }: ControlRequest): Promise<HttpAnswer> =>
    sendRequest({
      ...request,
      url: new URL(`http://supervisor.localhost${path}`),
      headers: { "content-type": "application/json" },
      socketPath,
      timeoutMs,
      maxBodyBytes: MAX_ANSWER_BYTES,
    });

  const isAnswering = async (): Promise<boolean> =>
    (await send({ method: "GET", path: "/" })).kind === "answered";

  /** Tries again: a supervisor that finds another one in this home ends at once, and the other may be about to end. */
  async function start(): Promise<void> {
    const deadline = performance.now() + START_MS;
    while (performance.now() < deadline) {
      const child = program === null ? null : startSupervisor(home, program, environment);
      do {
        if (await isAnswering()) return;
        await pause(START_POLL_MS);
      } while (performance.now() < deadline && child?.exitCode === null);
      await pause(START_AGAIN_MS);
    }
  }

  const startOnce = (): Promise<void> => (starting ??= start().finally(() => (starting = null)));

  /**
   * Replaces the supervisor of another version of the agent. Its instances run on: the new supervisor takes them over,
   * and gets their commands. If this agent ends before that, its next start replaces the instances that have ended.
   */
  async function renew(): Promise<void> {
    if (program === null) return;
    const answer = await send({ method: "GET", path: "/" });
    if (answer.kind !== "answered") return;
    if (About.safeParse(parseJson(answer.body)).data?.version === AGENT_VERSION) return;
    const left = InstanceCommands.safeParse(await bodyOf(send({ method: "POST", path: "/leave" })));
    // A supervisor that cannot leave its instances keeps running.
    if (!left.success) return;
    await startOnce();
    for (const { path, body } of left.data.commands)
      await send({ method: "PUT", path, body: JSON.stringify(body) });
  }

  /** After a request that nobody answered. */
  async function askAgain(request: ControlRequest): Promise<SupervisorResult<unknown>> {
    await startOnce();
    return readAnswer(await send(request));
  }

  /** Before each request, because the socket's folder may have been deleted since. */
  async function prepare(): Promise<string | null> {
    try {
      await prepareSocketFolder(home, socketPath);
      await (renewal ??= renew());
      return null;
    } catch (error) {
      return messageOf(error);
    }
  }

  return {
    async ask(request) {
      const reason = await prepare();
      if (reason !== null) return { ok: false, reason };
      const answer = await send(request);
      return answer.kind === "failed" ? askAgain(request) : readAnswer(answer);
    },
    async askIfNeeded(request) {
      const reason = await prepare();
      if (reason !== null) return { ok: false, reason };
      const answer = await send(request);
      if (answer.kind !== "failed") return readAnswer(answer);
      return (await readInstances(home)).instances.length === 0 ? null : askAgain(request);
    },
  };
}

async function bodyOf(sent: Promise<HttpAnswer>): Promise<unknown> {
  const answer = await sent;
  return answer.kind === "answered" && answer.status === 200 ? parseJson(answer.body) : null;
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
