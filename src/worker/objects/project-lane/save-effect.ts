import type { Effect } from "#domain/lane/decision.ts";
import type { LaneContext } from "#worker/objects/project-lane/lane-context.ts";

type Places = Pick<LaneContext, "store" | "outbox" | "logs">;

/** Saves an effect of a decision, in the decision's transaction. @param now Unix milliseconds */
export function saveEffect({ store, outbox, logs }: Places, effect: Effect, now: number): void {
  switch (effect.type) {
    case "log": {
      const { stage, message } = effect;
      const time = new Date(now).toISOString();
      return logs.appendOwn(effect.deploymentId, { time, stream: "system", stage, message });
    }
    case "output":
      return logs.append(effect.deploymentId, effect.lines, now);
    case "serving":
      return outbox.noteServing(effect.serverId, effect.report, now);
    case "ended":
      return logs.end(effect.deploymentId);
    case "removed":
      return outbox.addRemoval(effect.deploymentId, now);
    case "detected":
      return outbox.noteDetected(effect.preset);
    case "project_removed":
      store.forgetAccepted();
      return outbox.addProjectRemoval();
  }
}
