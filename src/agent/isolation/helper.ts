import { createConnection, type Socket } from "node:net";
import { createInterface } from "node:readline";

import type { SupervisedSettings } from "#contract/endpoints/processes/process-settings.ts";
import type { ProjectId } from "#contract/ids.ts";
import { messageOf } from "#contract/lib/message-of.ts";

/** What a unit may use, as the helper takes it. */
type Limits = {
  /** `null`: no limit. */
  readonly memory_mb: number | null;
  readonly cpu_weight: number;
  readonly tasks: number;
};

/** What a unit runs that makes a container. */
type Engine = { readonly engine?: "podman" };

type OfProject<Verb extends string, Fields = unknown> = {
  readonly verb: Verb;
  readonly project: ProjectId;
} & Fields;
type OfRelease<Verb extends string, Fields = unknown> = OfProject<Verb, { readonly version: number }> &
  Fields;
type OfRun<Verb extends string> = OfProject<Verb, { readonly marker: string }>;
type OfInstance<Verb extends string, Fields = unknown> = OfProject<Verb, { readonly instance: string }> &
  Fields;

/**
 * What the helper does, in the fields that `install/helper/request.sh` accepts. Some requests are followed by as many
 * bytes as they say: a script, or a path.
 */
export type HelperRequest =
  | OfRelease<"own">
  | OfRelease<
      "run",
      Limits &
        Engine & {
          readonly kind: "build" | "cache" | "command" | "job";
          readonly number: number;
          readonly marker: string;
          readonly job_bytes: number;
        }
    >
  | (OfRelease<"start"> &
      OfInstance<"start", Limits & Engine & SupervisedSettings & { readonly job_bytes: number }>)
  | OfInstance<"stop">
  | OfInstance<"listens", { readonly port: number; readonly inside?: number }>
  | OfInstance<"ports">
  | { readonly verb: "list"; readonly project?: ProjectId }
  | OfProject<"read", { readonly path_bytes: number }>
  | { readonly verb: "show" }
  | OfProject<"running">
  | OfProject<"end_build">
  | OfProject<"end_commands">
  | OfRelease<"end_release">
  | OfRun<"end_run">
  | OfProject<"end_jobs">
  | OfRun<"end_job">
  | OfProject<"discard">
  | OfProject<"remove">;

/** A connection to the isolation helper: one request, and its answer line by line. */
export type HelperCall = {
  /** The next line; `null` when the connection has ended, with `problem` as the reason. */
  nextLine(): Promise<string | null>;
  send(text: string): void;
  close(): void;
  /** Why the connection ended, for a message. */
  readonly problem: string;
};

/** Sends a request, and what follows it, to the isolation helper (src/agent/install/helper). Never throws. */
export function callHelper(socketPath: string, request: HelperRequest, rest = ""): HelperCall {
  const socket: Socket = createConnection(socketPath);
  let problem = "the isolation helper ended without an answer";
  socket.on("error", (error) => (problem = `the isolation helper cannot be reached: ${messageOf(error)}`));
  socket.write(`${JSON.stringify(request)}\n${rest}`);
  const waiting: ((line: string | null) => void)[] = [];
  const lines: string[] = [];
  let isClosed = false;
  const reader = createInterface({ input: socket, crlfDelay: Infinity });
  reader.on("error", () => undefined);
  reader.on("line", (line) => {
    const next = waiting.shift();
    if (next === undefined) lines.push(line);
    else next(line);
  });
  socket.on("close", () => {
    isClosed = true;
    reader.close();
    // The last lines are emitted before this.
    for (const next of waiting.splice(0)) next(null);
  });
  return {
    nextLine() {
      const line = lines.shift();
      if (line !== undefined) return Promise.resolve(line);
      if (isClosed) return Promise.resolve(null);
      return new Promise((resolve) => waiting.push(resolve));
    },
    send: (text) => void socket.write(text),
    close: () => void socket.destroy(),
    get problem() {
      return problem;
    },
  };
}

/** A one-line answer. `reason`: for the log. */
export type HelperAnswer =
  | { readonly kind: "done"; readonly words: readonly string[] }
  | { readonly kind: "failed"; readonly reason: string };

/** Longer than the helper takes to end a unit whose processes ignore SIGTERM. */
const ANSWER_MS = 60_000;

/** @param rest what follows the request */
export async function askHelper(
  socketPath: string,
  request: HelperRequest,
  { rest = "", answerMs = ANSWER_MS }: { readonly rest?: string; readonly answerMs?: number } = {},
): Promise<HelperAnswer> {
  const call = callHelper(socketPath, request, rest);
  const timer = setTimeout(() => call.close(), answerMs);
  const line = await call.nextLine();
  clearTimeout(timer);
  call.close();
  if (line === null) return { kind: "failed", reason: call.problem };
  const reason = refusalOf(line);
  return reason === null ? { kind: "done", words: line.split(" ") } : { kind: "failed", reason };
}

const UNKNOWN = "not a request";
const outdated =
  "the isolation helper does not know the request. Run the install command again, which installs the agent and the helper of the same version";

/** The reason of an answer that is a refusal or a failure; `null` for others. */
export function refusalOf(line: string): string | null {
  const reason = /^(?:refused|failed): (.*)$/.exec(line)?.[1];
  if (reason === undefined) return null;
  return reason === UNKNOWN ? outdated : `the isolation helper: ${reason}`;
}
