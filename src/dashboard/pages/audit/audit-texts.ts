import type { AuditEntry } from "#contract/endpoints/audit/schemas.ts";
import type { userEndpoints } from "#contract/endpoints/user-endpoints.ts";

type Endpoints = typeof userEndpoints;
type ChangingOperation = {
  [Name in keyof Endpoints]: Endpoints[Name]["method"] extends "GET" ? never : Name;
}[keyof Endpoints];
/** The actions that the audit log records: operations of the API, and pushes that a hook or a server reports. */
type Action = ChangingOperation | "receiveDelivery" | "findPush";

/**
 * The action in the past tense, its first words after "tried to", and its object: `{target}` is the entry's object,
 * `{project}` its project, `{changes}` the names of the changed fields.
 */
type Phrase = readonly [did: string, toDo: string, object: string];

const phrases: Readonly<Record<Action, Phrase>> = {
  startDeployment: ["deployed", "deploy", "{project}"],
  deploy: ["deployed", "deploy", "{project}"],
  rollBack: ["rolled back", "roll back", "{project}"],
  deleteDeployment: ["deleted", "delete", "{target} of {project}"],
  cancelDeployment: ["canceled", "cancel", "{target} of {project}"],
  approveDeployment: ["approved", "approve", "{target} of {project}"],
  uploadArtifactPart: ["uploaded", "upload", "a part of a build of {project}"],
  createProject: ["created", "create", "the project {target}"],
  updateProject: ["changed", "change", "{changes} of {target}"],
  testRepository: ["tested", "test", "the repository of {project}"],
  deleteProject: ["deleted", "delete", "the project {target}"],
  updateProcess: ["changed", "change", "processes of {project}"],
  restartProcess: ["restarted", "restart", "processes of {project}"],
  stopProcess: ["stopped", "stop", "processes of {project}"],
  startProcess: ["started", "start", "processes of {project}"],
  applyConfig: ["applied", "apply", "variables and settings to {project}"],
  setMaintenance: ["changed", "change", "the maintenance of {project}"],
  pauseProject: ["paused", "pause", "{project}"],
  resumeProject: ["resumed", "resume", "{project}"],
  updateVariables: ["changed", "change", "variables of {project}"],
  runCommand: ["ran", "run", "a command in {project}"],
  stopCommand: ["stopped", "stop", "a command in {project}"],
  runCronJob: ["ran", "run", "a cron job of {project}"],
  stopCronRun: ["stopped", "stop", "a cron job of {project}"],
  createServer: ["added", "add", "the server {target}"],
  updateServer: ["changed", "change", "{changes} of the server {target}"],
  drainServer: ["drained", "drain", "the server {target}"],
  undrainServer: ["ended", "end", "the draining of the server {target}"],
  deleteServer: ["removed", "remove", "the server {target}"],
  createEnrollment: ["created", "create", "an enrollment for the server {target}"],
  createToken: ["created", "create", "the token {target}"],
  rotateToken: ["rotated", "rotate", "the token {target}"],
  revokeToken: ["revoked", "revoke", "the token {target}"],
  createTrustRule: ["created", "create", "the trust rule {target}"],
  updateTrustRule: ["changed", "change", "{changes} of the trust rule {target}"],
  deleteTrustRule: ["deleted", "delete", "the trust rule {target}"],
  testTrustRules: ["tested", "test", "an identity token"],
  exchangeToken: ["got", "get", "a token for a job by the trust rule {target}"],
  createSession: ["signed", "sign", "in"],
  createSignInChallenge: ["asked", "ask", "for a challenge"],
  createChallenge: ["asked", "ask", "for a challenge"],
  confirmSession: ["confirmed", "confirm", "the session"],
  updateMember: ["changed", "change", "{changes} of the member {target}"],
  removeMember: ["removed", "remove", "the member {target}"],
  createOwner: ["became", "become", "the first owner"],
  createInvitation: ["invited", "invite", "a person"],
  deleteInvitation: ["withdrew", "withdraw", "the invitation {target}"],
  lookUpInvitation: ["read", "read", "the invitation {target}"],
  acceptInvitation: ["joined", "join", "by the invitation {target}"],
  updateProfile: ["changed", "change", "their own {changes}"],
  addPasskey: ["added", "add", "a passkey"],
  updatePasskey: ["renamed", "rename", "a passkey"],
  removePasskey: ["removed", "remove", "a passkey"],
  createRecoveryCodes: ["created", "create", "recovery codes"],
  createOwnToken: ["created", "create", "the personal token {target}"],
  revokeOwnToken: ["revoked", "revoke", "the token {target}"],
  endOwnSessions: ["signed", "sign", "out everywhere"],
  createConnection: ["created", "create", "the connection {target}"],
  updateConnection: ["changed", "change", "{changes} of the connection {target}"],
  deleteConnection: ["deleted", "delete", "the connection {target}"],
  testConnection: ["tested", "test", "the connection {target}"],
  startSignIn: ["started", "start", "a sign-in by a provider"],
  startProvider: ["started", "start", "a sign-in by a provider"],
  addIdentity: ["added", "add", "an identity"],
  removeIdentity: ["removed", "remove", "an identity"],
  connectCommand: ["allowed", "allow", "a command to sign in"],
  claimToken: ["took", "take", "the token {target} for a command"],
  endSession: ["ended", "end", "the session {target}"],
  updateAccount: ["changed", "change", "{changes} of the account"],
  createFreeze: ["created", "create", "the freeze {target}"],
  updateFreeze: ["changed", "change", "{changes} of the freeze {target}"],
  deleteFreeze: ["deleted", "delete", "the freeze {target}"],
  createHook: ["created", "create", "the hook of {target}"],
  rotateHook: ["rotated", "rotate", "the secret of the hook of {target}"],
  deleteHook: ["deleted", "delete", "the hook of {target}"],
  replayPush: ["replayed", "replay", "a push to {target}"],
  createWebhook: ["created", "create", "the webhook {target}"],
  updateWebhook: ["changed", "change", "{changes} of the webhook {target}"],
  deleteWebhook: ["deleted", "delete", "the webhook {target}"],
  testWebhook: ["tested", "test", "the webhook {target}"],
  rotateWebhook: ["rotated", "rotate", "the secret of the webhook {target}"],
  resendDelivery: ["sent", "send", "a delivery of the webhook {target} again"],
  resendDeliveries: ["sent", "send", "deliveries of the webhook {target} again"],
  receiveDelivery: ["reported", "report", "a push"],
  findPush: ["found", "find", "a push"],
};

const isAction = (action: string): action is Action => Object.hasOwn(phrases, action);

/** The setting names of a sentence, beyond which it only counts. */
const MOST_NAMES = 3;

/**
 * What an entry tells, as a sentence after the actor's name: `deployed shop as v9`, `tried to delete the project shop`.
 * @param nameOf the name of an object that still exists, by its id; null: unknown
 */
export function auditSentence(
  { action, outcome, target, project_id: projectId, changes }: AuditEntry,
  nameOf: (id: string) => string | null,
): string {
  const named = target === null ? null : (target.name ?? nameOf(target.id) ?? target.id);
  // A newer control plane may have other actions.
  const [did, toDo, object]: Phrase = isAction(action)
    ? phrases[action]
    : [`called ${action}`, `call ${action}`, "for {target}"];
  const project =
    projectId === null ? null : (nameOf(projectId) ?? (target?.id === projectId ? named : null));
  const objectText = withTarget(object, named)
    .replace("{changes}", () => namesText(Object.keys(changes ?? {})))
    .replace("{project}", () => project ?? "a project");
  // A new deployment is the result of the request, and not its object.
  const made = target?.type === "deployment" && !object.includes("{target}") ? ` as ${named}` : "";
  const reason = changes?.["emergency"]?.after;
  const emergency = typeof reason === "string" ? ` in an emergency: ${reason}` : "";
  return `${outcome === "done" ? did : `tried to ${toDo}`} ${objectText}${made}${emergency}`;
}

/** A refused request may have named no object: then `the token {target}` is `a token`. */
function withTarget(object: string, name: string | null): string {
  if (name !== null) return object.replace("{target}", () => name);
  return object.replace(/the (\w+)(?: of)? \{target\}/, "a $1").replace("{target}", "something");
}

function namesText(names: readonly string[]): string {
  if (names.length === 0) return "settings";
  const shown = names.length > MOST_NAMES ? names.slice(0, MOST_NAMES - 1) : names.slice(0, -1);
  const last = names.length > MOST_NAMES ? `${names.length - shown.length} more settings` : names.at(-1);
  return shown.length === 0 ? `${last}` : `${shown.join(", ")} and ${last}`;
}

/** A setting before or after a change. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === "") return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}
