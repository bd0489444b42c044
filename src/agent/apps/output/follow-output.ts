import type { OutputFilter } from "#agent/apps/output/last-lines.ts";
import { type Batch, ProjectOutput } from "#agent/apps/output/project-output.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import type { FromAgent } from "#contract/agent-protocol.ts";
import type { ProjectId } from "#contract/ids.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { pause } from "#contract/lib/pause.ts";

/** A reader of a project's output. `after`: the last line that it has; `null` for a new one. */
export type FollowRequest = OutputFilter & {
  readonly project_id: ProjectId;
  readonly reader: string;
  readonly after: number | null;
};

/** Sends what instances print, while somebody reads it. Nothing of this is stored. */
export type OutputFollows = {
  follow(reader: FollowRequest): void;
  /** Nobody reads the project's output now. It is kept in memory a little longer, for a reader who reconnects. */
  stop(project: ProjectId): void;
  /** The log at this path is emptied now. */
  readonly catchUp: (path: string) => void;
};

type Followed = {
  readonly output: ProjectOutput;
  /** Readers that have not got their first lines yet. */
  waiting: FollowRequest[];
  /** When the last reader left, by the monotonic clock; `null` while somebody reads. */
  stoppedAt: number | null;
  lookedAt: number;
};

/** How often new instances are looked for. */
const LOOK_MS = 1_000;

/** @param signal ends everything */
export function createOutputFollows(
  context: AgentContext,
  send: (message: FromAgent) => void,
  signal: AbortSignal,
): OutputFollows {
  const { clock, settings, home } = context;
  const all = new Map<ProjectId, Followed>();
  let isRunning = false;
  /** Numbers are not used again, so that a reader never mistakes other lines for the lines that it has. */
  let next = 0;

  async function run(): Promise<void> {
    isRunning = true;
    while (all.size > 0 && !signal.aborted) {
      for (const [project, followed] of all)
        await readOn(project, followed).catch((error: unknown) =>
          context.log(`${project}: its output could not be read: ${messageOf(error)}`),
        );
      // However many are followed, the control plane gets few messages.
      await pause(settings.outputBatchMs * Math.max(1, all.size / 4), signal);
    }
    for (const { output } of all.values()) output.close();
    isRunning = false;
  }

  async function readOn(project: ProjectId, followed: Followed): Promise<void> {
    const { output } = followed;
    const now = clock.monotonic();
    if (now - followed.lookedAt >= LOOK_MS) {
      followed.lookedAt = now;
      await output.look();
    }
    const batch = output.read();
    next = Math.max(next, output.next);
    const isRead = followed.stoppedAt === null;
    if (isRead && (batch.lines.length > 0 || batch.leftOut !== 0)) sendBatch(project, null, batch);
    const { waiting } = followed;
    followed.waiting = [];
    for (const one of waiting) sendBatch(project, one.reader, output.first(one, one.after));
    if (followed.stoppedAt === null || now - followed.stoppedAt < settings.outputLingerMs) return;
    output.close();
    all.delete(project);
  }

  function sendBatch(project_id: ProjectId, reader: string | null, { lines, leftOut }: Batch): void {
    send({ type: "output", project_id, reader, lines: [...lines], left_out: leftOut });
  }

  return {
    follow(reader) {
      const project = reader.project_id;
      const followed = all.get(project) ?? {
        output: new ProjectOutput(context, projectFolder(home, project), Math.max(next, clock.now())),
        waiting: [],
        stoppedAt: null,
        lookedAt: -Infinity,
      };
      followed.waiting.push(reader);
      followed.stoppedAt = null;
      all.set(project, followed);
      if (!isRunning) void run();
    },
    stop(project) {
      const followed = all.get(project);
      if (followed === undefined) return;
      followed.stoppedAt ??= clock.monotonic();
      followed.waiting = [];
    },
    catchUp(path) {
      for (const { output } of all.values()) output.catchUp(path);
    },
  };
}
