import type { Effect } from "#domain/lane/decision.ts";
import type { LaneOutbox } from "#worker/objects/lane-outbox.ts";
import type { LaneStore } from "#worker/objects/lane-store.ts";
import type { LogBuffer } from "#worker/objects/log-buffer.ts";

type Places = { store: LaneStore; outbox: LaneOutbox; logs: LogBuffer };

/** Puts down what a decision wants done, in the transaction that saves it. @param now Unix milliseconds */
export function saveEffect({ store, outbox, logs }: Places, effect: Effect, now: number): void {
  switch (effect.type) {
    case "log": {
      const { stage, message } = effect;
      const time = new Date(now).toISOString();
      return logs.append(effect.deploymentId, [{ time, stream: "system", stage, message }], now);
    }
    case "output":
      return logs.append(effect.deploymentId, effect.lines, now);
    case "serving":
      return outbox.noteServing(effect.serverId, effect.report, now);
    case "ended":
      return logs.end(effect.deploymentId);
    case "removed":
      return outbox.addRemoval(effect.deploymentId, now);
    case "found":
      return outbox.noteFound(effect.preset);
    case "project_removed":
      store.forgetAccepted();
      return outbox.addProjectRemoval();
  }
}
