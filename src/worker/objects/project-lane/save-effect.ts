import { repositoryKey } from "#contract/forge.ts";
import type { Effect } from "#domain/lane/decision.ts";
import { storedChange } from "#worker/db/changes/stored-change.ts";
import { deploymentEvent, placeEvent } from "#worker/objects/project-lane/lane-changes.ts";
import type { LaneContext } from "#worker/objects/project-lane/lane-context.ts";

type Places = Pick<LaneContext, "store" | "outbox" | "logs" | "changes" | "ids" | "permitted">;

/** Saves an effect of a decision, in the decision's transaction. @param now Unix milliseconds */
export function saveEffect(places: Places, effect: Effect, now: number): void {
  const { store, outbox, logs, changes, ids } = places;
  switch (effect.type) {
    case "log": {
      const { deploymentId, serverId = null, stage, message } = effect;
      const time = new Date(now).toISOString();
      return logs.appendOwn(deploymentId, serverId, { time, stream: "system", stage, message });
    }
    case "event": {
      const owner = store.owner();
      if (owner === null) return;
      const place = { projectId: owner.projectId, url: outbox.siteUrl() };
      return changes.add(storedChange(deploymentEvent(effect, place, ids, now), null));
    }
    case "server_event": {
      const owner = store.owner();
      if (owner === null) return;
      return changes.add(storedChange(placeEvent(effect, owner.projectId, ids, now), null));
    }
    case "output":
      return logs.append(effect.deploymentId, effect.serverId, effect.lines, now);
    case "serving":
      return outbox.noteServing(effect.serverId, effect.report, effect.isFirst, now);
    case "ended":
      return logs.end(effect.deploymentId);
    case "removed":
      return outbox.addRemoval(effect.deploymentId, now);
    case "permitted":
      return void places.permitted.set(effect.runId, effect.serverId);
    case "detected":
      return outbox.noteDetected(effect.preset);
    case "repository_read":
      return outbox.noteRepositoryRead(repositoryKey(effect.repository));
    case "project_removed":
      store.forgetAccepted();
      return outbox.addProjectRemoval();
  }
}
