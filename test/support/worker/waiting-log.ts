import { env } from "cloudflare:workers";

import { DeploymentId } from "#contract/ids.ts";
import { type LogSource, followLog, type LogEvent } from "#worker/following/log/follow-log.ts";
import { followLane } from "#worker/following/log/lane-follower.ts";
import { ids } from "./account.ts";
import { TestProject } from "./project.ts";

const HEARTBEAT_MS = 20;

/** A real lane with a queued deployment, and the arguments to follow its log. */
export async function waiting(): Promise<{ project: TestProject; id: string; log: LogSource<string> }> {
  const project = await TestProject.create();
  const id = DeploymentId.parse((await project.start()).id);
  const log = {
    read: async function* () {},
    connect: () => followLane(env.PROJECT_LANE.getByName(project.id), id, ids.token()),
    ending: async () => "ended",
    heartbeatMs: HEARTBEAT_MS,
  };
  return { project, id, log };
}

type EventType = LogEvent<string>["type"];

/** Returns the types of a followed log's events up to the last one needed, then stops following. */
export async function collect(
  isEnough: (types: readonly EventType[]) => boolean,
  log: LogSource<string>,
  afterLine = 0,
): Promise<EventType[]> {
  const types: EventType[] = [];
  for await (const { type } of followLog(log, afterLine, new AbortController().signal)) {
    types.push(type);
    if (isEnough(types)) break;
  }
  return types;
}

/** Follows a log to the given number of events, and returns their types. */
export const first = (count: number, log: LogSource<string>, afterLine = 0) =>
  collect((types) => types.length === count, log, afterLine);
