import type { RunOrder } from "#contract/agent-order.ts";

type Task = NonNullable<RunOrder["artifact"]>;
export type MakeTask = Extract<Task, { type: "make" }>;
export type TakeTask = Extract<Task, { type: "take" }>;

/** What a run has to make for other servers; null: nothing. */
export function makeTaskOf({ artifact }: Pick<RunOrder, "artifact">): MakeTask | null {
  return artifact?.type === "make" ? artifact : null;
}

/** The build that a run takes; null: it has none to take. */
export function takeTaskOf({ artifact }: Pick<RunOrder, "artifact">): TakeTask | null {
  return artifact?.type === "take" ? artifact : null;
}

/** Whether this server builds for others and serves nothing of the project. */
export function isOnlyBuilder(order: Pick<RunOrder, "artifact">): boolean {
  return makeTaskOf(order)?.only === true;
}
