import { createConnection } from "node:net";

import { endsOf } from "#agent/apps/crash-history.ts";
import { INSTANCE_HOST } from "#agent/apps/instance-spec.ts";
import type { InstanceExit, Supervisor } from "#agent/apps/supervisor.ts";
import { checkHealth, type CheckTarget, type HealthCheckTry } from "#agent/lib/http/check-health.ts";
import type { HealthCheck } from "#contract/endpoints/projects/settings.ts";
import type { ProjectId } from "#contract/ids.ts";
import { pause } from "#contract/lib/pause.ts";

const LISTEN_POLL_MS = 50;
const TAKEN_PORT_POLL_MS = 250;
/** Each look asks the isolation helper. */
const INSIDE_POLL_MS = 100;
const CONNECT_MS = 1_000;

/** A new instance with a port. `check`: `null` if accepting a connection is enough. */
export type AwaitedInstance = {
  readonly project: ProjectId;
  readonly name: string;
  readonly port: number;
  /** The port in the network of its container; null: it has no such network. */
  readonly inside: number | null;
  readonly check: HealthCheck | null;
  readonly domain: string;
};

/**
 * `not_listening`: it did not until the signal; `isPortTaken` says whether another program does. `unhealthy`: it did not pass
 * its check. `failed`: the supervisor does not answer.
 */
export type Readiness =
  | { readonly kind: "ready" }
  | { readonly kind: "not_listening"; readonly isPortTaken: boolean }
  | { readonly kind: "unhealthy"; readonly best: HealthCheckTry; readonly tries: number }
  | { readonly kind: "failed"; readonly reason: string };

/** Waits until an instance listens on its port itself and passes its check, or the signal is aborted. */
export async function awaitReadiness(
  supervisor: Supervisor,
  { project, name, port, inside, check, domain }: AwaitedInstance,
  signal: AbortSignal,
  log: { listening(): void; tried(tries: number, tried: HealthCheckTry): void },
): Promise<Readiness> {
  let isPortTaken = false;
  while (true) {
    if (signal.aborted) return { kind: "not_listening", isPortTaken };
    if (!(await accepts(port))) {
      await pause(LISTEN_POLL_MS, signal);
      continue;
    }
    // Another program may have taken the port since it was chosen. The engine of a container accepts connections before its
    // app does.
    const own = await supervisor.listensOn(project, name, port, inside ?? undefined);
    if (!own.ok) return { kind: "failed", reason: own.reason };
    if (own.value) break;
    isPortTaken = inside === null;
    await pause(inside === null ? TAKEN_PORT_POLL_MS : INSIDE_POLL_MS, signal);
  }
  log.listening();
  if (check?.path === undefined) return { kind: "ready" };
  const url = new URL(`http://${INSTANCE_HOST}:${port}${check.path}`);
  const target: CheckTarget = { url, host: domain, asHttps: true };
  const checked = await checkHealth(target, check, signal, (tries, tried) => log.tried(tries, tried));
  return checked.ok ? { kind: "ready" } : { kind: "unhealthy", best: checked.best, tries: checked.tries };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: INSTANCE_HOST, port });
    const settle = (isAccepted: boolean) => {
      socket.destroy();
      resolve(isAccepted);
    };
    socket.setTimeout(CONNECT_MS, () => settle(false));
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
  });
}

/** An instance that ended by itself. */
export type EndedInstance = { readonly name: string; readonly exit: InstanceExit | null };

const END_POLL_MS = 250;
/** A new instance may end once: a service that it needs may be starting too. */
const MAX_ENDS = 2;
/** The shell's codes for a program that is not executable or not found. */
const NEVER_WORKS: readonly (number | null)[] = [126, 127];

/** Waits until one of these instances has ended too often. @returns `null` once the signal is aborted */
export async function awaitEnd(
  supervisor: Supervisor,
  project: ProjectId,
  names: readonly string[],
  signal: AbortSignal,
): Promise<EndedInstance | null> {
  while (true) {
    await pause(END_POLL_MS, signal);
    if (signal.aborted) return null;
    const ended = await findEnded(supervisor, project, names, MAX_ENDS);
    if (ended !== null) return ended;
  }
}

/** The first of these instances that has ended this often; `null` if none has, or the supervisor does not answer. */
export async function findEnded(
  supervisor: Supervisor,
  project: ProjectId,
  names: readonly string[],
  leastEnds: number,
): Promise<EndedInstance | null> {
  if (names.length === 0) return null;
  const listed = await supervisor.list(project);
  if (!listed.ok) return null;
  const ended = listed.value.find(
    (one) =>
      names.includes(one.name) &&
      (endsOf(one) >= leastEnds || (endsOf(one) > 0 && NEVER_WORKS.includes(one.lastExit?.code ?? null))),
  );
  return ended === undefined ? null : { name: ended.name, exit: ended.lastExit };
}
