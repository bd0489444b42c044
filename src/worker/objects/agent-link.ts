import { DurableObject } from "cloudflare:workers";
import * as z from "zod";

import {
  closeCodes,
  FromAgent,
  PING,
  PONG,
  PROTOCOL_VERSION,
  type ToAgent,
} from "#contract/agent-protocol.ts";
import { AccountId, ProjectId, ServerId } from "#contract/ids.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { findAgent } from "#worker/db/credentials.ts";
import { setServing } from "#worker/db/server-presence.ts";
import { linkHeaders } from "#worker/objects/link-headers.ts";
import { PresenceRecord } from "#worker/objects/presence-record.ts";

/** How often a link that says nothing is looked at; an agent pings every 15 s. */
const CHECK_MS = 2 * 60_000;
/** A link without a ping for this long is dead. */
const SILENT_MS = 60_000;

/** Set where the server has been deleted. */
const GONE = "gone";

type Hello = Extract<FromAgent, { type: "hello" }>;

/** What is kept with a socket while the object sleeps. `ready`: its agent has said hello. */
const Attachment = z.strictObject({
  accountId: AccountId,
  serverId: ServerId,
  credentialHash: z.string(),
  ready: z.boolean(),
});
type Attachment = z.infer<typeof Attachment>;

/**
 * The dial-out link of one server's agent: a WebSocket that sleeps for nothing, its presence, and what the agent must
 * be told. It decides nothing of a deployment: a lane whose message it could not pass on is asked again when the
 * agent says hello.
 */
export class AgentLink extends DurableObject<Env> {
  readonly #presence: PresenceRecord;
  /** The last call of each project's lane that is under way: the next one waits for it. */
  readonly #lastCall = new Map<ProjectId, Promise<unknown>>();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS waiting (project_id TEXT PRIMARY KEY)");
    this.#presence = new PresenceRecord(ctx.storage, env.DB);
  }

  /** The agent's upgrade request; the Worker has authenticated it and says in the headers whose it is. */
  override async fetch(request: Request): Promise<Response> {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    const attachment: Attachment = {
      accountId: AccountId.parse(request.headers.get(linkHeaders.accountId)),
      serverId: ServerId.parse(request.headers.get(linkHeaders.serverId)),
      credentialHash: z.string().parse(request.headers.get(linkHeaders.credentialHash)),
      ready: false,
    };
    server.serializeAttachment(attachment);
    return new Response(null, { status: 101, webSocket: client });
  }

  /**
   * Passes a lane's message on. `delivered: false`: the agent is not there, and the lane is asked when it is, or, where
   * the server is `gone`, never. It waits while the lane is being greeted: what the lane says before it knows the
   * agent's greeting would make the greeting look older than it is, and the run in the message like one that was lost.
   */
  async deliver(projectId: ProjectId, message: ToAgent): Promise<{ delivered: boolean; gone: boolean }> {
    if (this.ctx.storage.kv.get(GONE) === true) return { delivered: false, gone: true };
    await this.#lastCall.get(projectId)?.catch(() => undefined);
    const sockets = this.#readySockets();
    this.ctx.storage.sql.exec("INSERT OR IGNORE INTO waiting (project_id) VALUES (?)", projectId);
    for (const socket of sockets) send(socket, message);
    return { delivered: sockets.length > 0, gone: false };
  }

  /** Ends the links of a credential that the database does not have any more. */
  async revoke(): Promise<void> {
    for (const socket of this.ctx.getWebSockets()) closeRevoked(socket);
  }

  /** The server has been deleted: ends its link, tells the lanes that wait for it, and keeps nothing else. */
  async remove(): Promise<void> {
    this.ctx.storage.kv.put(GONE, true);
    for (const socket of this.ctx.getWebSockets()) {
      // Not ready, so that its end is nobody's business any more.
      socket.serializeAttachment({ ...attachmentOf(socket), ready: false } satisfies Attachment);
      closeRevoked(socket);
    }
    this.#presence.forget();
    await this.ctx.storage.deleteAlarm();
    const serverId = ServerId.parse(this.ctx.id.name);
    const tell = (projectId: ProjectId) => this.env.PROJECT_LANE.getByName(projectId).serverGone(serverId);
    await Promise.all(this.#waiting().map(tell));
    this.ctx.storage.sql.exec("DELETE FROM waiting");
  }

  override async webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    const message = parseMessage(data);
    if (message === null) return socket.close(closeCodes.malformedMessage, "not a message of this protocol");
    const attachment = attachmentOf(socket);
    switch (message.type) {
      case "hello":
        return this.#welcome(socket, attachment, message);
      case "status":
        await this.#presence.seen(attachment, Date.now(), { disk: message.disk });
        return this.#noteServing(attachment, message.projects);
      case "serving": {
        const { project } = message;
        await this.#noteServing(attachment, [project]);
        return await this.#inOrder(project.project_id, async () => {
          const { serverId } = attachment;
          const { restore } = await this.env.PROJECT_LANE.getByName(project.project_id).compare(
            serverId,
            project,
          );
          this.#restore(socket, project.project_id, restore);
        });
      }
      case "forgotten": {
        const { project_id, purge } = message;
        const { serverId } = attachment;
        return await this.env.PROJECT_LANE.getByName(project_id).forgotten({ serverId, purge });
      }
    }
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    // 1005 and 1006 say that no code came; they may not be sent.
    socket.close(code === 1005 || code === 1006 ? 1000 : code, "");
    await this.#noteGone(socket);
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    await this.#noteGone(socket);
  }

  /** Finds the links that are open but dead: half of a cut connection is never told of it. */
  override async alarm(): Promise<void> {
    const now = Date.now();
    for (const socket of this.ctx.getWebSockets()) {
      const lastPing = this.ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
      const attachment = attachmentOf(socket);
      if (now - Math.max(lastPing, this.#presence.lastSeenAt()) > SILENT_MS) {
        socket.close(1001, "no ping");
        await this.#noteGone(socket);
      } else if (attachment.ready) {
        this.#presence.touch(lastPing);
      }
    }
    if (this.#readySockets().length > 0) await this.ctx.storage.setAlarm(now + CHECK_MS);
  }

  async #welcome(socket: WebSocket, attachment: Attachment, hello: Hello): Promise<void> {
    if (hello.protocol !== PROTOCOL_VERSION) {
      const older = hello.protocol < PROTOCOL_VERSION ? "agent" : "control plane";
      return socket.close(
        closeCodes.protocolMismatch,
        `protocol ${hello.protocol} here ${PROTOCOL_VERSION}: update the ${older}`,
      );
    }
    // The Worker remembers credentials for a while; here it counts whether this one still holds.
    const agent = await findAgent(this.env.DB, attachment.credentialHash);
    if (agent?.serverId !== attachment.serverId) return closeRevoked(socket);
    if (socket.readyState !== WebSocket.OPEN) return;
    for (const other of this.ctx.getWebSockets()) {
      if (other !== socket) other.close(closeCodes.replaced, "another agent connected with this credential");
    }
    socket.serializeAttachment({ ...attachment, ready: true } satisfies Attachment);
    send(socket, { type: "welcome", protocol: PROTOCOL_VERSION, server_id: attachment.serverId });
    await this.ctx.storage.setAlarm(Date.now() + CHECK_MS);
    await Promise.all([
      this.#presence.connected(attachment, Date.now(), hello),
      this.#noteServing(attachment, hello.projects),
      this.#greetLanes(socket, attachment, hello),
    ]);
  }

  /** Asks each lane that the agent has something of, or that has something for the agent. */
  async #greetLanes(socket: WebSocket, { serverId }: Attachment, hello: Hello): Promise<void> {
    const projectIds = new Set([
      ...this.#waiting(),
      ...hello.projects.map((report) => report.project_id),
      ...hello.runs.map((run) => run.project_id),
    ]);
    const greet = async (projectId: ProjectId) => {
      const report = hello.projects.find((one) => one.project_id === projectId) ?? null;
      const runIds = hello.runs.filter((run) => run.project_id === projectId).map((run) => run.run_id);
      this.ctx.storage.sql.exec("DELETE FROM waiting WHERE project_id = ?", projectId);
      const answer = await this.env.PROJECT_LANE.getByName(projectId).greet({ serverId, report, runIds });
      this.#restore(socket, projectId, answer.restore);
    };
    await Promise.all([...projectIds].map((projectId) => this.#inOrder(projectId, () => greet(projectId))));
  }

  /** Calls a project's lane after the call before it has ended, so that the lane hears what happened in its order. */
  async #inOrder(projectId: ProjectId, call: () => Promise<void>): Promise<void> {
    const before = this.#lastCall.get(projectId)?.catch(() => undefined);
    const next = before === undefined ? call() : before.then(call);
    this.#lastCall.set(projectId, next);
    try {
      await next;
    } finally {
      if (this.#lastCall.get(projectId) === next) this.#lastCall.delete(projectId);
    }
  }

  #restore(socket: WebSocket, projectId: ProjectId, release: number | null): void {
    if (release !== null && socket.readyState === WebSocket.OPEN)
      send(socket, { type: "restore", project_id: projectId, release });
  }

  async #noteServing({ accountId, serverId }: Attachment, reports: Hello["projects"]): Promise<void> {
    const rows = new AccountRows(this.env.DB, accountId);
    const servingCheckedAt = Date.now();
    for (const { project_id, release, url } of reports) {
      await setServing(rows, serverId, project_id, { servingRelease: release, servingCheckedAt, url });
    }
  }

  async #noteGone(socket: WebSocket): Promise<void> {
    const attachment = attachmentOf(socket);
    const isLast = this.#readySockets().every((other) => other === socket);
    if (attachment.ready && isLast) await this.#presence.disconnected(attachment, Date.now());
  }

  /** The projects whose lanes want to be asked at the next hello. */
  #waiting(): ProjectId[] {
    const rows = this.ctx.storage.sql.exec<{ project_id: string }>("SELECT project_id FROM waiting");
    return rows.toArray().map((row) => ProjectId.parse(row.project_id));
  }

  #readySockets(): WebSocket[] {
    const isOpen = (socket: WebSocket) => socket.readyState === WebSocket.OPEN;
    return this.ctx.getWebSockets().filter((socket) => isOpen(socket) && attachmentOf(socket).ready);
  }
}

function attachmentOf(socket: WebSocket): Attachment {
  return Attachment.parse(socket.deserializeAttachment());
}

function parseMessage(data: string | ArrayBuffer): FromAgent | null {
  if (typeof data !== "string") return null;
  try {
    return FromAgent.safeParse(JSON.parse(data)).data ?? null;
  } catch {
    return null;
  }
}

function closeRevoked(socket: WebSocket): void {
  socket.close(closeCodes.credentialRevoked, "the credential was revoked");
}

function send(socket: WebSocket, message: ToAgent): void {
  socket.send(JSON.stringify(message));
}
