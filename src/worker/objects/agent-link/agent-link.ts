import { DurableObject } from "cloudflare:workers";
import * as z from "zod/mini";

import {
  type AnyHello,
  closeCodes,
  type FromAgent,
  PROTOCOL_VERSION,
  type ToAgent,
} from "#contract/agent-protocol.ts";
import { AccountId, type ProjectId } from "#contract/ids.ts";
import { LinkDeliveries } from "#worker/objects/agent-link/link-deliveries.ts";
import { linkHeaders } from "#worker/objects/agent-link/link-headers.ts";
import { DeliveryQueue, type ProjectHello } from "#worker/objects/agent-link/delivery-queue.ts";
import { LinkLimit } from "#worker/objects/agent-link/link-limit.ts";
import {
  attach,
  attachmentOf,
  end,
  endRevoked,
  isReady,
  parseMessage,
  send,
} from "#worker/objects/agent-link/link-socket.ts";
import { LinkSockets } from "#worker/objects/agent-link/link-sockets.ts";
import { LinkedServer } from "#worker/objects/agent-link/linked-server.ts";
import { ObjectAlarm } from "#worker/objects/shared/object-alarm.ts";
import { PresenceRecord } from "#worker/objects/agent-link/presence-record.ts";

/** How often a link that says nothing is looked at; an agent pings every 15 s. */
const CHECK_MS = 2 * 60_000;
/** A link without a ping for this long is dead. */
const SILENT_MS = 60_000;
/** How soon a server that is about to be deleted is looked for. */
const REMOVAL_CHECK_MS = 60_000;

type Hello = Extract<FromAgent, { type: "hello" }>;

/**
 * The dial-out link of one server's agent: a WebSocket that sleeps for nothing, its presence, and what the agent must
 * be told. It decides nothing of a deployment: a lane whose message it could not pass on is asked again when the
 * agent says hello. What it takes in is saved before anybody is told, and its alarm goes on telling.
 */
export class AgentLink extends DurableObject<Env> {
  readonly #presence: PresenceRecord;
  readonly #queue: DeliveryQueue;
  readonly #deliveries: LinkDeliveries;
  readonly #server: LinkedServer;
  readonly #sockets: LinkSockets;
  readonly #alarm: ObjectAlarm;
  readonly #limit = new LinkLimit(() => Date.now());

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sockets = new LinkSockets(ctx);
    this.#alarm = new ObjectAlarm(ctx.storage);
    this.#server = new LinkedServer(ctx.storage.kv, env, ctx.id.name);
    this.#presence = new PresenceRecord(ctx.storage);
    this.#queue = new DeliveryQueue(ctx.storage.sql);
    this.#deliveries = new LinkDeliveries({
      env,
      server: this.#server,
      presence: this.#presence,
      queue: this.#queue,
      correctRelease: (project_id, release) =>
        this.#sockets.send({ type: "correct_release", project_id, release }),
    });
  }

  /** The agent's upgrade request; the Worker has authenticated it and says in the headers whose it is. */
  override async fetch(request: Request): Promise<Response> {
    this.#server.noteAccount(AccountId.parse(request.headers.get(linkHeaders.accountId)));
    const credentialHash = z.string().parse(request.headers.get(linkHeaders.credentialHash));
    const answer = this.#sockets.accept(credentialHash, Date.now());
    await this.#armAlarm();
    return answer;
  }

  /**
   * Passes a lane's message on. `delivered: false`: the agent is not there, and the lane is asked when it is, or, where
   * the server is `gone`, never. It waits while the lane is being told what the agent says: what the lane says before
   * it knows that would make it look older than it is.
   */
  async deliver(projectId: ProjectId, message: ToAgent): Promise<{ delivered: boolean; gone: boolean }> {
    // The lane forgets the server for good, so D1 must say that it is still gone.
    if (this.#server.isRemoved() && (await this.#server.credential()) === null)
      return { delivered: false, gone: true };
    await this.#deliveries.afterCall(projectId);
    this.#queue.addWaiting(projectId);
    return { delivered: this.#sockets.send(message) > 0, gone: false };
  }

  /** The server's credential may have changed: ends the links of one that D1 doesn't have anymore. May arrive late. */
  async revoke(): Promise<void> {
    await this.#lookAtCredential();
  }

  /** The server may be deleted in a moment: should nobody tell, the link finds out by itself. */
  async expectRemoval(accountId: AccountId): Promise<void> {
    this.#server.noteAccount(accountId);
    this.#server.expectRemoval();
    await this.#armAlarm();
  }

  /** The server may have been deleted: if D1 confirms it, ends its link and tells the lanes. May arrive late. */
  async remove(): Promise<void> {
    this.#server.expectRemoval();
    await this.#armAlarm();
    await this.#lookAtCredential();
  }

  override async webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    if (attachmentOf(socket).state === "ended") return;
    const heard = parseMessage(data);
    if (!this.#limit.take(heard.kind === "message" ? heard.message : null))
      return end(socket, closeCodes.limited, "too many messages: come back later");
    switch (heard.kind) {
      case "malformed":
        return end(socket, closeCodes.malformedMessage, "not a message of this protocol");
      case "unknown":
        return;
      case "mismatch":
        return await this.#refuseProtocol(socket, heard.hello);
      case "message":
        return await this.#take(socket, heard.message);
    }
  }

  async #take(socket: WebSocket, message: FromAgent): Promise<void> {
    const { state } = attachmentOf(socket);
    switch (message.type) {
      case "hello":
        return await this.#welcome(socket, message);
      case "status": {
        if (state !== "ready") return;
        const now = Date.now();
        this.#presence.seen(now, { disk: message.disk });
        // It wakes no lane, and the write itself leaves out what is not on this server.
        this.#queue.takeServing(message.projects, now);
        return await this.#runDeliveries();
      }
      case "serving":
        if (state !== "ready" || !this.#queue.isKnown(message.project.project_id)) return;
        this.#queue.takeChange(message.project, Date.now());
        return await this.#runDeliveries();
      case "project_removed": {
        const { project_id, purge } = message;
        if (state !== "ready" || !this.#queue.isKnown(project_id)) return;
        try {
          await this.env.PROJECT_LANE.getByName(project_id).projectRemoved({
            serverId: this.#server.id,
            purge,
          });
        } catch (error) {
          // The lane will ask again, and the agent answer again.
          this.#deliveries.retries.log("project_removed", error);
        }
        return;
      }
    }
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    // 1005 and 1006 say that no code came; they may not be sent.
    end(socket, code === 1005 || code === 1006 ? 1000 : code, "");
    await this.#noteGone(Date.now());
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    attach(socket, { ...attachmentOf(socket), state: "ended" });
    await this.#noteGone(Date.now());
  }

  /** Looks after the link: what nobody has told it of, and what it could not tell. Never throws. */
  override async alarm(): Promise<void> {
    this.#alarm.noteGone();
    try {
      this.#endSilent();
      await this.#noteGone(null);
      await this.#lookAtCredential();
      this.#deliveries.retries.succeed("alarm");
      await this.#runDeliveries();
    } catch (error) {
      this.#deliveries.retries.fail("alarm", error);
      await this.#alarm.setExactly(Date.now() + this.#deliveries.retries.delayMs);
    }
  }

  /** Finds the links that are open but dead: half of a cut connection is never told of it. */
  #endSilent(): void {
    const now = Date.now();
    for (const socket of this.#sockets.all()) {
      const lastPing = this.#sockets.lastPingOf(socket);
      const { openedAt } = attachmentOf(socket);
      if (isReady(socket)) this.#presence.touch(lastPing);
      const heardAt = isReady(socket) ? this.#presence.lastSeenAt() : 0;
      if (now - Math.max(lastPing, openedAt, heardAt) > SILENT_MS) end(socket, 1001, "no ping");
    }
  }

  /** Finds what was revoked or deleted. Where D1 doesn't answer, the alarm tries again. */
  async #lookAtCredential(): Promise<void> {
    await this.#deliveries.retries.make("check credential", () => this.#checkCredential());
    await this.#armAlarm();
  }

  async #checkCredential(): Promise<void> {
    const sockets = this.#sockets.open();
    if (sockets.length === 0 && !this.#server.isRemovalExpected()) return;
    const found = await this.#server.credential();
    // Not those that were opened since: their hello asks D1 itself.
    for (const socket of sockets)
      if (attachmentOf(socket).credentialHash !== found?.credentialHash) endRevoked(socket);
    if (found !== null) {
      this.#server.endRemoval();
      return await this.#noteGone(Date.now());
    }
    if (this.#sockets.open().length === 0) await this.#dropServer();
  }

  /** D1 doesn't have the server: tells the lanes that wait for it, and keeps nothing else. */
  async #dropServer(): Promise<void> {
    this.#server.noteRemoved();
    // Until the lanes have been told: should one not answer, the alarm does all of this again.
    this.#server.expectRemoval();
    this.#presence.forget();
    this.#queue.forgetServing();
    const tell = (projectId: ProjectId) =>
      this.env.PROJECT_LANE.getByName(projectId).serverDeleted(this.#server.id);
    await this.#armAlarm();
    await Promise.all(this.#queue.waiting().map(tell));
    this.#queue.forgetLanes();
    this.#server.endRemoval();
  }

  /** Tells the agent which protocol is spoken here, and its owner that it speaks another. */
  async #refuseProtocol(socket: WebSocket, hello: AnyHello): Promise<void> {
    if (!(await this.#holds(attachmentOf(socket).credentialHash))) return endRevoked(socket);
    if (socket.readyState !== WebSocket.OPEN || attachmentOf(socket).state === "ended") return;
    send(socket, { type: "welcome", protocol: PROTOCOL_VERSION, server_id: this.#server.id });
    const older = hello.protocol < PROTOCOL_VERSION ? "agent" : "control plane";
    const reason = `protocol ${hello.protocol}, here ${PROTOCOL_VERSION}: update the ${older}`;
    end(socket, closeCodes.protocolMismatch, reason);
    // Another agent may be there that fits, and then nothing is wrong with the server.
    if (this.#sockets.isAnyReady()) return;
    this.#presence.mismatched(Date.now(), hello);
    await this.#runDeliveries();
  }

  async #welcome(socket: WebSocket, hello: Hello): Promise<void> {
    const attachment = attachmentOf(socket);
    const saidAt = Date.now();
    const [holds, listened] = await Promise.all([
      this.#holds(attachment.credentialHash),
      this.#withoutStrangers(hello),
    ]);
    if (!holds) return endRevoked(socket);
    if (socket.readyState !== WebSocket.OPEN || attachmentOf(socket).state === "ended") return;
    for (const other of this.#sockets.all()) {
      if (other === socket) continue;
      if (isReady(other)) this.#presence.touch(this.#sockets.lastPingOf(other));
      end(other, closeCodes.replaced, "another agent connected with this credential");
    }
    attach(socket, { ...attachment, state: "ready" });
    send(socket, { type: "welcome", protocol: PROTOCOL_VERSION, server_id: this.#server.id });
    this.#presence.connected(saidAt, hello);
    this.#queue.takeHello(listened, saidAt);
    await this.#runDeliveries();
  }

  /**
   * The Worker remembers credentials for a while; here it counts whether this one still holds. Where the database does
   * not answer, the Worker's word does, until the alarm looks again: the agent must be able to go on with its runs.
   */
  async #holds(credentialHash: string): Promise<boolean> {
    try {
      return (await this.#server.credential())?.credentialHash === credentialHash;
    } catch (error) {
      this.#deliveries.retries.fail("check credential", error);
      return true;
    }
  }

  /**
   * What a hello says of projects that are on this server: an agent can name any project, and no lane is woken for that.
   * Where the database does not answer, the agent's word counts, as its credential does.
   */
  async #withoutStrangers(hello: ProjectHello): Promise<ProjectHello> {
    const unknown = this.#queue.unknownIn(hello);
    if (unknown.length === 0) return hello;
    try {
      const placed = new Set(await this.#server.placed(unknown));
      this.#queue.addKnown(placed);
      const strangers = new Set(unknown.filter((projectId) => !placed.has(projectId)));
      const isListenedTo = (one: { readonly project_id: ProjectId }) => !strangers.has(one.project_id);
      return { projects: hello.projects.filter(isListenedTo), runs: hello.runs.filter(isListenedTo) };
    } catch (error) {
      this.#deliveries.retries.log("find projects", error);
      return hello;
    }
  }

  /** @param endedAt when the last link ended, in Unix milliseconds; null: nobody saw it */
  async #noteGone(endedAt: number | null): Promise<void> {
    if (this.#sockets.isAnyReady() || !this.#presence.isConnected()) return;
    this.#presence.disconnected(endedAt);
    await this.#runDeliveries();
  }

  /** The alarm first: whatever dies from here on, it comes. */
  async #runDeliveries(): Promise<void> {
    const armed = this.#armAlarm();
    await this.#deliveries.run();
    await armed;
    await this.#armAlarm();
  }

  async #armAlarm(): Promise<void> {
    const { retries } = this.#deliveries;
    const isLinked = this.#presence.isConnected() || this.#sockets.all().length > 0;
    const isAwaited = this.#server.isRemovalExpected();
    const isPending = this.#deliveries.isPending() || retries.failures > 0;
    const inMs = Math.min(
      isLinked ? CHECK_MS : Infinity,
      isAwaited ? REMOVAL_CHECK_MS : Infinity,
      isPending ? retries.delayMs : Infinity,
    );
    const now = Date.now();
    if (inMs === Infinity) await this.#alarm.setExactly(null);
    else if (inMs === CHECK_MS) await this.#alarm.setAbout(now + inMs, now);
    else await this.#alarm.setExactly(now + inMs);
  }
}
