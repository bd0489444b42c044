import { DurableObject } from "cloudflare:workers";
import * as z from "zod/mini";

import { isImageRepository } from "#contract/addresses/repository-address.ts";
import {
  ARTIFACTS,
  closeCodes,
  FLEET,
  type FromAgent,
  IMAGES,
  type ToAgent,
} from "#contract/agent-protocol.ts";
import { type AgentAnswer, isAgentAnswer } from "#contract/agent-answers.ts";
import type { AgentRequest, AgentRequestType } from "#contract/agent-requests.ts";
import { AccountId, type ProjectId, type ServerId } from "#contract/ids.ts";
import { Region } from "#contract/regions.ts";
import { keptReport } from "#domain/kept-report.ts";
import { checkCredentials } from "#worker/objects/agent-link/credential-check.ts";
import { DeliveryQueue } from "#worker/objects/agent-link/delivery-queue.ts";
import { DeployKeyQueue } from "#worker/objects/agent-link/deploy-key-queue.ts";
import { refuseProtocol, welcome } from "#worker/objects/agent-link/hello-handler.ts";
import {
  armAlarm,
  type LinkContext,
  recordDisconnect,
  runDeliveries,
} from "#worker/objects/agent-link/link-work.ts";
import { LinkDeliveries } from "#worker/objects/agent-link/link-deliveries.ts";
import {
  linkHeaders,
  attach,
  attachmentOf,
  end,
  isReady,
  parseMessage,
  LinkSockets,
} from "#worker/objects/agent-link/link-sockets.ts";
import { type RequestOutcome, LinkRequests } from "#worker/objects/agent-link/link-requests.ts";
import { LinkLimit } from "#worker/objects/agent-link/link-limit.ts";
import { LinkedServer } from "#worker/objects/agent-link/linked-server.ts";
import { OutputReaders } from "#worker/following/output/output-readers.ts";
import { PresenceRecord } from "#worker/objects/agent-link/presence-record.ts";
import { FleetRecord } from "#worker/objects/agent-link/fleet-record.ts";
import { FoundPushes } from "#worker/objects/agent-link/found-pushes.ts";
import { HealthEvents } from "#worker/objects/agent-link/health-events.ts";
import { WatchRecord } from "#worker/objects/agent-link/watch-record.ts";
import { StatusEvents } from "#worker/objects/agent-link/status-events.ts";
import { ChangeOutbox } from "#worker/objects/shared/change-outbox.ts";
import { passOn } from "#worker/objects/shared/notify-links.ts";
import { ObjectAlarm } from "#worker/objects/shared/object-alarm.ts";
import { inJurisdiction } from "#worker/objects/location.ts";

/**
 * An alarm that is this late shows that the control plane did not run. Cloudflare delays an alarm by up to a minute.
 * Source: Cloudflare's documentation, "Alarms".
 */
const LATE_MS = 60_000;

/** A link without a ping for this long is dead. */
const SILENT_MS = 60_000;

/**
 * The connection to one server's agent: a hibernating WebSocket, the agent's presence, and the messages to deliver. It
 * makes no decision about a deployment. If it cannot pass on a lane's message, the lane sends the message after the
 * agent's next hello. Everything that the agent sends is saved before it is delivered, and the alarm retries failed
 * deliveries.
 */
export class AgentLink extends DurableObject<Env> {
  readonly #link: LinkContext;
  readonly #requests = new LinkRequests();
  readonly #readers: OutputReaders;
  readonly #limit = new LinkLimit(() => Date.now());

  constructor(ctx: DurableObjectState, bindings: Env) {
    const env = inJurisdiction(bindings);
    super(ctx, env);
    const sockets = new LinkSockets(ctx);
    const server = new LinkedServer(ctx.storage.kv, env, ctx.id.name);
    const fleet = new FleetRecord(ctx.storage.kv);
    const presence = new PresenceRecord(ctx.storage, fleet);
    const queue = new DeliveryQueue(ctx.storage.sql);
    const keys = new DeployKeyQueue(ctx.storage.sql);
    const watch = new WatchRecord(ctx.storage.kv);
    const found = new FoundPushes(ctx.storage.sql);
    const changes = new ChangeOutbox(ctx.storage.sql);
    const health = new HealthEvents(ctx.storage.sql, changes);
    const status = new StatusEvents(ctx.storage.kv, changes, server, presence);
    const parts = { env, server, presence, queue, keys, watch, fleet, found, changes, health, sockets };
    const deliveries = new LinkDeliveries(parts);
    const alarm = new ObjectAlarm(ctx.storage);
    this.#readers = new OutputReaders(ctx, sockets);
    this.#link = { ...parts, status, deliveries, alarm };
  }

  /**
   * The upgrade request of the agent, or of a reader of output. The Worker has authenticated it, and sends the agent's
   * account and credential in headers.
   */
  override async fetch(request: Request): Promise<Response> {
    if (this.#readers.isReader(request)) return this.#readers.accept(request);
    this.#link.server.noteAccount(AccountId.parse(request.headers.get(linkHeaders.accountId)));
    this.#link.presence.noteRegion(Region.safeParse(request.headers.get(linkHeaders.region)).data ?? null);
    const credentialHash = z.string().parse(request.headers.get(linkHeaders.credentialHash));
    this.#noteDueAlarm(await this.ctx.storage.getAlarm());
    const answer = this.#link.sockets.accept(credentialHash, Date.now());
    await armAlarm(this.#link);
    return answer;
  }

  /**
   * Sends a lane's message to the agent. `delivered: false`: the agent is not connected; the link calls the lane after
   * the next hello, or never if the server is `gone`. Waits while a report of the agent is being delivered to the lane:
   * a message that the lane decides before it has the report would make the lane look out of date.
   */
  async deliver(projectId: ProjectId, message: ToAgent): Promise<{ delivered: boolean; gone: boolean }> {
    const { server, deliveries, queue, sockets } = this.#link;
    // The lane drops the server permanently, so D1 must confirm that the server still does not exist.
    if (server.isRemoved() && (await server.credential()) === null) return { delivered: false, gone: true };
    await deliveries.afterCall(projectId);
    queue.addWaiting(projectId);
    if (!this.#canCarryOut(message)) return { delivered: false, gone: false };
    return { delivered: sockets.send(message) > 0, gone: false };
  }

  /**
   * Sends the agent a request about a project, or about the server as a whole, and waits for its answer. If this object dies meanwhile, the call throws; the agent's
   * answer is then ignored, except a deploy key, which goes to D1 in any case.
   */
  async ask(projectId: ProjectId | null, request: AgentRequest, timeoutMs: number): Promise<RequestOutcome> {
    const { queue, sockets } = this.#link;
    const [socket] = sockets.ready();
    if (socket === undefined) return { kind: "offline" };
    if (!attachmentOf(socket).answers.includes(request.type)) return { kind: "outdated" };
    if (projectId !== null) queue.addKnown([projectId]);
    return await this.#requests.send(socket, request, timeoutMs);
  }

  /**
   * Whether the agent understands the order: an older one would run all of the project, and not only the part of its server, or
   * would put live what it builds for others.
   */
  #canCarryOut(message: ToAgent): boolean {
    if (message.type !== "run") return true;
    const { place, artifact, source } = message.order;
    // An older agent that is to take a build makes its own, if it can.
    const makesOrMustTake = artifact?.type === "make" || artifact?.required === true;
    const needed = [
      ...(place === undefined ? [] : [FLEET]),
      ...(makesOrMustTake ? [ARTIFACTS] : []),
      ...(isImageRepository(source.repository) ? [IMAGES] : []),
    ];
    return this.#link.sockets
      .ready()
      .every((socket) => needed.every((one) => attachmentOf(socket).answers.includes(one)));
  }

  /** Whether the agent is connected, and its version does not answer requests of this type. */
  isOutdatedFor(type: AgentRequestType): boolean {
    const [socket] = this.#link.sockets.ready();
    return socket !== undefined && !attachmentOf(socket).answers.includes(type);
  }

  /** Called after the settings of a project changed that say what the agent watches. A late call is harmless. */
  async watchChanged(): Promise<void> {
    if (!this.#link.sockets.isAnyReady()) return;
    this.#link.watch.noteDue();
    await runDeliveries(this.#link);
  }

  /**
   * Called after projects or servers changed that say what the agent must know of others. A late call is harmless. Does not
   * wait until the agent knows it: two links may call each other.
   * @param others servers whose links this one calls, because its caller has too many to call
   */
  async fleetChanged(others: readonly ServerId[]): Promise<void> {
    if (this.#link.sockets.isAnyReady()) {
      this.#link.fleet.noteDue(false);
      await armAlarm(this.#link);
      this.ctx.waitUntil(runDeliveries(this.#link));
    }
    await passOn(this.env.AGENT_LINK, others);
  }

  /** Closes sockets whose credential is not in D1. Called after the credential may have changed; a late call is harmless. */
  async revoke(): Promise<void> {
    await checkCredentials(this.#link);
  }

  /** Called before a server is deleted: if `remove` is never called, the alarm checks D1. */
  async expectRemoval(accountId: AccountId): Promise<void> {
    this.#link.server.noteAccount(accountId);
    this.#link.server.expectRemoval(Date.now());
    await armAlarm(this.#link);
  }

  /** Called after a server was deleted: if D1 confirms it, closes the link and notifies the lanes. A late call is harmless. */
  async remove(): Promise<void> {
    this.#link.server.expectRemoval(Date.now());
    await armAlarm(this.#link);
    await checkCredentials(this.#link);
  }

  override async webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    // A reader sends only pings, which the runtime answers.
    if (this.#link.sockets.isReader(socket)) return socket.close(1008, "unknown message");
    if (attachmentOf(socket).state === "ended") return;
    const received = parseMessage(data);
    if (!this.#limit.consume(received.kind === "message" ? received.message : null))
      return end(socket, closeCodes.limited, "too many messages: reconnect later");
    switch (received.kind) {
      case "malformed":
        return end(socket, closeCodes.malformedMessage, "not a message of this protocol");
      case "unknown":
        return;
      case "mismatch":
        return await refuseProtocol(this.#link, socket, received.hello);
      case "message":
        return await this.#receive(socket, received.message);
    }
  }

  async #receive(socket: WebSocket, message: FromAgent): Promise<void> {
    if (message.type === "hello") {
      await welcome(this.#link, socket, message);
      return this.#readers.agentConnected();
    }
    if (attachmentOf(socket).state !== "ready") return;
    if (isAgentAnswer(message)) return await this.#receiveAnswer(message);
    const { presence, queue, watch, fleet, found, health, server, deliveries } = this.#link;
    switch (message.type) {
      case "status": {
        const now = Date.now();
        presence.seen(now, message);
        watch.noteStatus(now);
        fleet.noteStatus(now);
        // This wakes no lane, and the write to D1 skips projects that are not on this server.
        deliveries.addStatus(message.projects.map(keptReport), now);
        const known = message.projects.filter(({ project_id }) => queue.isKnown(project_id));
        health.noteAll(known, message.projects.length, now);
        return await runDeliveries(this.#link);
      }
      case "serving": {
        const now = Date.now();
        if (!queue.isKnown(message.project.project_id)) return;
        queue.addChange(keptReport(message.project), now);
        health.note(message.project, now);
        return await runDeliveries(this.#link);
      }
      case "output":
        return this.#readers.forward(message);
      case "tip_moved":
        if (!queue.isKnown(message.project_id)) return;
        found.add(message, Date.now());
        return await runDeliveries(this.#link);
      case "project_removed": {
        const { project_id, purge } = message;
        if (!queue.isKnown(project_id)) return;
        try {
          await this.env.PROJECT_LANE.getByName(project_id).projectRemoved({ serverId: server.id, purge });
        } catch (error) {
          // The lane sends its message again, and the agent answers again.
          deliveries.retries.log("project_removed", error);
        }
        return;
      }
    }
  }

  /** Passes an answer to the caller that waits for it, and stores what is worth storing if nobody waits now. */
  async #receiveAnswer(answer: AgentAnswer): Promise<void> {
    this.#requests.settle(answer);
    const { queue, keys, server, deliveries, fleet, presence } = this.#link;
    if (answer.type === "fleet_set" && fleet.noteAnswer(answer.revision, answer.problem)) {
      presence.noteFleetChanged();
      return await runDeliveries(this.#link);
    }
    if (!("project_id" in answer) || !queue.isKnown(answer.project_id)) return;
    if (answer.type === "deploy_key" && answer.public_key !== null) {
      keys.add([{ project_id: answer.project_id, public_key: answer.public_key }]);
      await runDeliveries(this.#link);
    }
    if (answer.type === "commit_resolved") {
      const { project_id, deployment_id: deploymentId, repository, result } = answer;
      const resolved = { deploymentId, serverId: server.id, repository, result };
      try {
        await this.env.PROJECT_LANE.getByName(project_id).commitResolved(resolved);
      } catch (error) {
        // The lane asks again.
        deliveries.retries.log("commit_resolved", error);
      }
    }
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    // 1005 and 1006 mean that no code was received. They must not be sent.
    const answer = code === 1005 || code === 1006 ? 1000 : code;
    if (this.#readers.left(socket)) return socket.close(answer, "");
    const { credentialHash, state } = attachmentOf(socket);
    // The other connection has answered: so it is not the rest of a connection that this agent has lost.
    const isTakenOver = code === closeCodes.replaced && state === "ended";
    if (isTakenOver) this.#link.presence.takenOver(Date.now(), credentialHash);
    end(socket, answer, "");
    await this.#noteClosed();
    if (isTakenOver) await runDeliveries(this.#link);
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    if (this.#readers.left(socket)) return;
    attach(socket, { ...attachmentOf(socket), state: "ended" });
    await this.#noteClosed();
  }

  async #noteClosed(): Promise<void> {
    if (!this.#link.sockets.isAnyReady()) this.#requests.noteCut();
    await recordDisconnect(this.#link, Date.now());
  }

  /** Finds dead sockets and revoked credentials, and retries failed deliveries. Never throws. */
  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    const { alarm, deliveries } = this.#link;
    alarm.noteFired();
    try {
      // A retry is late because the alarm before it failed.
      if (info?.isRetry === false) this.#noteDueAlarm(info.scheduledTime);
      this.#endSilent();
      await recordDisconnect(this.#link, null);
      await checkCredentials(this.#link);
      deliveries.retries.succeed("alarm");
      await runDeliveries(this.#link);
    } catch (error) {
      deliveries.retries.fail("alarm", error);
      await alarm.setExactly(Date.now() + deliveries.retries.delayMs);
    }
  }

  /** If an alarm is overdue, the control plane did not run. @param dueAt Unix milliseconds; null: none was set */
  #noteDueAlarm(dueAt: number | null): void {
    const now = Date.now();
    if (dueAt === null || now - dueAt < LATE_MS || this.#link.sockets.isAnyReady()) return;
    this.#link.presence.notObserved(dueAt, now);
    this.#link.status.notObserved(now);
  }

  /** Closes sockets that are open but dead: no event arrives when the other end of a connection disappears. */
  #endSilent(): void {
    const { sockets, presence } = this.#link;
    const now = Date.now();
    for (const socket of sockets.all()) {
      const lastPing = sockets.lastPingOf(socket);
      const { openedAt } = attachmentOf(socket);
      if (isReady(socket)) presence.touch(lastPing);
      const lastSeenAt = isReady(socket) ? presence.lastSeenAt() : 0;
      if (now - Math.max(lastPing, openedAt, lastSeenAt) > SILENT_MS) end(socket, 1001, "no ping");
    }
  }
}
