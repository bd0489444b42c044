import { awaitEnd, awaitReadiness, type EndedInstance, type Readiness } from "#agent/apps/await-instance.ts";
import type { InstanceNote } from "#agent/apps/instance-notes.ts";
import type { Rollout } from "#agent/apps/rollout.ts";
import type { AgentContext } from "#agent/context/context.ts";
import type { HealthCheckTry } from "#agent/lib/http/check-health.ts";
import { WEB } from "#contract/endpoints/processes/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";

/** The first instance of a rollout that failed: it ended by itself, or cannot get requests. */
export type RolloutFailure =
  | ({ readonly kind: "ended" } & EndedInstance)
  | {
      readonly kind: "not_ready";
      readonly name: string;
      readonly note: InstanceNote;
      readonly readiness: Exclude<Readiness, { kind: "ready" }>;
    };

/** Called as the instances come up. `ms`: since the wait began. */
export type RolloutLog = {
  listening(note: InstanceNote, ms: number): void;
  tried(note: InstanceNote, tries: number, tried: HealthCheckTry): void;
  healthy(note: InstanceNote): void;
};

export const silentLog: RolloutLog = {
  listening: () => undefined,
  tried: () => undefined,
  healthy: () => undefined,
};

/** Waits until all these new instances are ready, or the signal is aborted. @returns `null` if all are */
export async function awaitRollout(
  { supervisor, clock }: Pick<AgentContext, "supervisor" | "clock">,
  project: ProjectId,
  { request: { healthCheck, domain } }: Pick<Rollout, "request">,
  notes: readonly InstanceNote[],
  signal: AbortSignal,
  log: RolloutLog,
): Promise<RolloutFailure | null> {
  const done = new AbortController();
  const until = AbortSignal.any([signal, done.signal]);
  const startedAt = clock.monotonic();
  const awaitOne = async (note: InstanceNote): Promise<RolloutFailure | null> => {
    const { name, port, inside = null } = note;
    if (port === null) return null;
    const check = note.process === WEB ? healthCheck : null;
    const readiness = await awaitReadiness(
      supervisor,
      { project, name, port, inside, check, domain },
      until,
      {
        listening: () => log.listening(note, clock.monotonic() - startedAt),
        tried(tries, tried) {
          if (!until.aborted) log.tried(note, tries, tried);
        },
      },
    );
    if (readiness.kind !== "ready") return { kind: "not_ready", name, note, readiness };
    if (check?.path !== undefined) log.healthy(note);
    return null;
  };
  const names = notes.map(({ name }) => name);
  const ready = firstFailure(notes.map(awaitOne));
  const ended = awaitEnd(supervisor, project, names, until);
  try {
    return await Promise.race([
      ready,
      ended.then((end): RolloutFailure | null | typeof ready =>
        end === null ? ready : { kind: "ended", ...end },
      ),
    ]);
  } finally {
    done.abort();
  }
}

/** Resolves with the first failure, or with `null` once all have succeeded. */
function firstFailure(all: readonly Promise<RolloutFailure | null>[]): Promise<RolloutFailure | null> {
  return new Promise((resolve, reject) => {
    for (const one of all) one.then((failed) => failed !== null && resolve(failed), reject);
    Promise.all(all).then(() => resolve(null), reject);
  });
}
