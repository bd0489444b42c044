import { keptReport } from "#domain/kept-report.ts";
import {
  ARTIFACTS,
  IMAGES,
  FLEET,
  type AnyHello,
  closeCodes,
  type FromAgent,
  MAX_REPORTED_PROJECTS,
  PROTOCOL_VERSION,
} from "#contract/agent-protocol.ts";
import { requestTypes } from "#contract/agent-requests.ts";
import type { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import type { ProjectId } from "#contract/ids.ts";
import { fromBase64Url } from "#sealing/bytes.ts";
import { fingerprintOf } from "#sealing/secret-box.ts";
import { isCredentialValid } from "#worker/objects/agent-link/credential-check.ts";
import type { ProjectHello } from "#worker/objects/agent-link/delivery-queue.ts";
import type { DeployKeyQueue } from "#worker/objects/agent-link/deploy-key-queue.ts";
import { type LinkContext, runDeliveries } from "#worker/objects/agent-link/link-work.ts";
import {
  attach,
  attachmentOf,
  end,
  endRevoked,
  isReady,
  send,
} from "#worker/objects/agent-link/link-sockets.ts";

type Hello = Extract<FromAgent, { type: "hello" }>;

/** Answers a hello: makes this the ready socket, closes all others, and delivers what the hello contains to D1 and to the lanes. */
export async function welcome(link: LinkContext, socket: WebSocket, hello: Hello): Promise<void> {
  const { sockets, presence, queue, keys, health } = link;
  const attachment = attachmentOf(socket);
  const receivedAt = Date.now();
  const [isValid, known, sealKey] = await Promise.all([
    isCredentialValid(link, attachment.credentialHash),
    withoutForeignProjects(link, hello),
    checkedSealKey(hello),
  ]);
  if (!isValid) return endRevoked(socket);
  if (hasEnded(socket)) return;
  const isReplaced = sockets.ready().some((other) => other !== socket);
  for (const other of sockets.all()) {
    if (other === socket) continue;
    if (isReady(other)) presence.touch(sockets.lastPingOf(other));
    end(other, closeCodes.replaced, "another agent connected with this credential");
  }
  // Only the known ones: an attachment has at most 2 KiB.
  const answers = [...requestTypes, FLEET, ARTIFACTS, IMAGES].filter((one) =>
    hello.capabilities.includes(one),
  );
  attach(socket, { ...attachment, state: "ready", answers });
  sendWelcome(link, socket);
  presence.noteCredential(attachment.credentialHash);
  presence.connected(receivedAt, hello, sealKey, isReplaced);
  queue.addHello({ ...known, projects: known.projects.map(keptReport) }, receivedAt);
  health.noteAll(known.projects, hello.projects.length, receivedAt);
  queueDeployKeys(keys, hello);
  // An agent that does not know one of both ignores it.
  if (answers.includes("set_maintenance")) link.server.noteTrafficDue();
  link.watch.noteDue();
  await runDeliveries(link);
}

/** Sends the agent this installation's protocol version, closes the socket, and records the mismatch for the owner. */
export async function refuseProtocol(link: LinkContext, socket: WebSocket, hello: AnyHello): Promise<void> {
  if (!(await isCredentialValid(link, attachmentOf(socket).credentialHash))) return endRevoked(socket);
  if (hasEnded(socket)) return;
  sendWelcome(link, socket);
  const older = hello.protocol < PROTOCOL_VERSION ? "agent" : "control plane";
  const reason = `protocol ${hello.protocol}, here ${PROTOCOL_VERSION}: update the ${older}`;
  end(socket, closeCodes.protocolMismatch, reason);
  // If another agent with the right protocol is connected, the server has no problem to record.
  if (link.sockets.isAnyReady()) return;
  link.presence.mismatched(Date.now(), hello);
  await runDeliveries(link);
}

function sendWelcome(link: LinkContext, socket: WebSocket): void {
  send(socket, { type: "welcome", protocol: PROTOCOL_VERSION, server_id: link.server.id });
}

/**
 * The part of a hello about projects that are on this server. An agent can name any project; this wakes no lane of a
 * project that is elsewhere. If D1 does not answer, all projects pass, as the credential does.
 */
async function withoutForeignProjects(link: LinkContext, hello: ProjectHello): Promise<ProjectHello> {
  const { queue, server, deliveries } = link;
  const unknown = queue.unknownIn(hello);
  if (unknown.length === 0) return hello;
  try {
    const placed = new Set(await server.placed(unknown));
    queue.addKnown(placed);
    const foreign = new Set(unknown.filter((projectId) => !placed.has(projectId)));
    const isHere = (one: { readonly project_id: ProjectId }) => !foreign.has(one.project_id);
    return { projects: hello.projects.filter(isHere), runs: hello.runs.filter(isHere) };
  } catch (error) {
    deliveries.retries.log("find projects", error);
    return hello;
  }
}

/** With fewer keys than a message can have, a key that is missing no longer exists on the server. */
function queueDeployKeys(keys: DeployKeyQueue, { deploy_keys: reports }: Hello): void {
  if (reports.length < MAX_REPORTED_PROJECTS) keys.replaceAll(reports);
  else keys.add(reports);
}

/** The agent's seal key; null if it has none, or if the fingerprint does not belong to the key. */
async function checkedSealKey({ seal_key: sealKey }: Hello): Promise<SealKey | null> {
  const key = sealKey === undefined ? null : fromBase64Url(sealKey.public_key);
  if (sealKey === undefined || key === null) return null;
  return (await fingerprintOf(key)) === sealKey.fingerprint ? sealKey : null;
}

function hasEnded(socket: WebSocket): boolean {
  return socket.readyState !== WebSocket.OPEN || attachmentOf(socket).state === "ended";
}
