import { DeploymentId } from "#contract/ids.ts";
import { succeed } from "#contract/problems.ts";
import type { ReadFreezes } from "#domain/freezes/project-freezes.ts";
import { decideDeadlines } from "#domain/lane/decide-deadlines.ts";
import { decideFreezes } from "#domain/lane/decide-freezes.ts";
import { namesBuild } from "#domain/lane/stored-builds.ts";
import type { LaneHolding } from "#domain/log-fate.ts";
import { ArtifactStore, type FoundArtifact } from "#worker/artifacts/artifact-store.ts";
import type { UnfinishedLines } from "#worker/logs/read-log.ts";
import { LaneRequests } from "#worker/objects/project-lane/lane-requests.ts";
import type { LaneOwner } from "#worker/objects/project-lane/lane-store.ts";
import { removeOldDeployments } from "#worker/objects/project-lane/remove-old-deployments.ts";

/** How long a repair may take. */
const REPAIR_MS = 60_000;

/**
 * Decides what a project runs next. Each method loads the lane, decides (src/domain/lane) and saves in one turn,
 * without an await. Then it carries out the saved effects; the alarm finishes interrupted ones. The methods stand with
 * their callers: `LaneReports` for agents, `LaneRequests` for the API, and here the logs and the schedule.
 */
export class ProjectLane extends LaneRequests {
  /** The account's freezes have changed. A lane that does not hear of it reads them itself within an hour. */
  async setFreezes(freezes: ReadFreezes): Promise<void> {
    const owner = this.turns.owner();
    if (owner === null || this.turns.parts.store.load().deletedAt !== null) return;
    this.turns.decide(owner, (lane, now) => succeed(decideFreezes(lane, freezes, null, now)));
    await this.turns.parts.effects.writeRecords();
  }

  /** The lines from `fromLine` on that are not in the log's final object yet; null if the lane has nothing of the log. */
  async unfinishedLog(id: DeploymentId, fromLine: number): Promise<UnfinishedLines | null> {
    return this.turns.owner() === null ? null : this.turns.parts.logs.unfinished(id, fromLine);
  }

  /** Whether the lane has the deployment, and log lines of it that are not in R2 yet, regardless of D1. */
  async holds(id: DeploymentId): Promise<LaneHolding> {
    if (this.turns.owner() === null) return { deployment: false, log: false };
    const deployment = this.turns.parts.store.load().deployments.some((one) => one.id === id);
    return { deployment, log: this.turns.parts.logs.holds(id) };
  }

  /** Removes a build from R2, unless a deployment has it or a start is about to use it. @returns whether it was removed */
  async removeUnnamedBuild({ sha256, keys }: Pick<FoundArtifact, "sha256" | "keys">): Promise<boolean> {
    const isNamed = this.turns.owner() !== null && namesBuild(this.turns.parts.store.load(), sha256);
    if (isNamed || this.turns.builds.isUsed(sha256)) return false;
    await this.turns.builds.remove(sha256, () => new ArtifactStore(this.env.LOGS).deleteObjects(keys));
    return true;
  }

  /** The Worker's upgrade request to follow a log. The path ends with the deployment's id (`lane-news.ts`). */
  override async fetch(request: Request): Promise<Response> {
    return this.turns.readers.accept(DeploymentId.parse(new URL(request.url).pathname.slice(1)), request);
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    this.turns.readers.receive(socket, message);
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    socket.close();
  }

  /**
   * Compares D1 with the lane, and corrects D1 (`repair-records.ts`). Safe to call and to repeat at any time.
   * @param found the project's owner according to D1: a lane that does not know the project takes it over
   * @returns false if D1 could not be read or written; the lane's alarm tries again
   */
  async repair(found: LaneOwner | null = null): Promise<boolean> {
    const owner = this.turns.owner() ?? found;
    const known = owner === null ? null : await this.turns.takeOver(owner);
    if (known?.ok === false && known.refusal.code === "unavailable") return false;
    if (this.turns.owner() === null) return true;
    // If the object dies before it has set an alarm for what the repair finds, this alarm fires.
    if ((await this.ctx.storage.getAlarm()) === null)
      await this.turns.alarm.setExactly(Date.now() + REPAIR_MS);
    await this.turns.parts.effects.repairRecords();
    await this.turns.refreshFreezes();
    await this.turns.carryOut();
    // If the project was deleted in the meantime, nothing is left to repair.
    return this.turns.owner() === null || !this.turns.parts.effects.isRepairDue();
  }

  /**
   * Removes deployments that ended before a time (`remove-old-deployments.ts`). Safe to repeat.
   * @returns whether all were removed; false: call it again
   */
  async removeOld(endedBefore: number): Promise<boolean> {
    return this.turns.owner() === null || (await removeOldDeployments(this.turns.parts, endedBefore));
  }

  /** Never throws: the platform stops retrying an alarm after six failures, and this one must not be lost. */
  override async alarm(): Promise<void> {
    this.turns.alarm.noteFired();
    try {
      const owner = this.turns.owner();
      if (owner === null) return;
      this.turns.save(owner, (lane, now) => succeed(decideDeadlines(lane, now)));
      this.turns.parts.effects.retries.succeed("alarm");
      if (this.turns.parts.effects.isRepairDue()) await this.turns.parts.effects.repairRecords();
      await this.turns.refreshFreezesIfDue();
      await this.turns.carryOut();
      await this.turns.ceaseToExist();
    } catch (error) {
      this.turns.parts.effects.retries.fail("alarm", error);
      await this.turns.alarm.setExactly(Date.now() + this.turns.parts.effects.retries.delayMs);
    }
  }
}
