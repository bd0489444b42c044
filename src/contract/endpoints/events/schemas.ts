import * as z from "zod/mini";

import { wholeFrom } from "#contract/bounds.ts";
import { Deployment, DeploymentFailure, Hold } from "#contract/endpoints/deployments/schemas.ts";
import {
  accountEventTypes,
  catchUpEventTypes,
  certificateEventTypes,
  connectionEventTypes,
  cronEventTypes,
  deploymentEventTypes,
  freezeEventTypes,
  hookEventTypes,
  identityEventTypes,
  invitationEventTypes,
  memberEventTypes,
  passkeyEventTypes,
  processEventTypes,
  projectEventTypes,
  serverEventTypes,
  tokenEventTypes,
  trustRuleEventTypes,
  webhookEventTypes,
} from "#contract/endpoints/events/event-types.ts";
import { MemberReference } from "#contract/endpoints/members/reference.ts";
import {
  AccountId,
  ConnectionId,
  DeploymentId,
  EventId,
  FreezeId,
  HookId,
  IdentityId,
  InvitationId,
  PasskeyId,
  ProjectId,
  ServerId,
  TokenId,
  TrustRuleId,
  WebhookId,
} from "#contract/ids.ts";
import { FailedRun } from "#contract/reported-health.ts";
import { Scope } from "#contract/scopes.ts";
import { growing, unknownOf } from "#contract/growing.ts";

/**
 * Who caused an event. `system`: Gantry itself, such as a deadline that has passed. `name`: as it was at that time.
 * `member`: the person, if the token is the session or the personal token of one.
 */
export const EventActor = z.strictObject({
  type: growing(z.enum(["token", "hook", "server", "system"])),
  id: z.nullable(z.string()),
  name: z.string(),
  member: z.optional(MemberReference),
});
export type EventActor = z.infer<typeof EventActor>;

/** The fields of every event's data. `sequence` rises with each event of the account, and so of each project. */
const common = { sequence: wholeFrom(1), actor: EventActor };

/** The project of an event. `url`: where its site is served, if Gantry knows it. */
export const EventProject = z.strictObject({
  id: ProjectId,
  name: z.string(),
  repository: z.string(),
  url: z.nullable(z.string()),
});
export type EventProject = z.infer<typeof EventProject>;

/** Why a deployment failed, without the details that only its own record has. */
export const EventFailure = z.omit(DeploymentFailure, { evidence: true });
export type EventFailure = z.infer<typeof EventFailure>;

/** Fields that only the record of a deployment has, and not its events. */
const onlyInRecord = {
  project_id: true,
  deadline_at: true,
  waiting_on: true,
  evidence: true,
  release_kept: true,
  stages: true,
  variables_revision: true,
  clear_cache: true,
  runs: true,
  build: true,
} as const;

/** An example of a deployment, or the texts of its fields, for a deployment in an event. */
// An overload, because the type of the result follows from the argument.
export function withoutRecordFields<Fields extends object>(
  fields: Fields,
): Omit<Fields, keyof typeof onlyInRecord>;
export function withoutRecordFields(fields: object): unknown {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(onlyInRecord, name)));
}

/** A deployment in an event, as it was at that time. */
export const EventDeployment = z.extend(z.omit(Deployment, { ...onlyInRecord, failure: true }), {
  failure: z.nullable(EventFailure),
  /** The commit of the push that started it; null if no push did. */
  pushed_sha: z.nullable(z.string()),
  /** What holds it at the head of the queue; null: nothing. */
  hold: z.nullable(Hold),
});
export type EventDeployment = z.infer<typeof EventDeployment>;

const ServerReference = z.strictObject({ id: ServerId, name: z.string() });
const ProjectReference = z.strictObject({ id: ProjectId, name: z.string() });

const event = <const Types extends readonly [string, ...string[]], Data extends z.core.$ZodLooseShape>(
  types: Types,
  data: Data,
) =>
  z.strictObject({
    id: EventId,
    type: z.enum(types),
    timestamp: z.string(),
    data: z.strictObject({ ...common, ...data }),
  });

export const DeploymentEvent = event(deploymentEventTypes, {
  project: EventProject,
  deployment: EventDeployment,
  /** The newer deployment that took its place: at its start in the queue, or live. */
  replaced_by: z.nullable(z.strictObject({ id: DeploymentId, version: wholeFrom(1) })),
});
export type DeploymentEvent = z.infer<typeof DeploymentEvent>;

/** `status`: as in the server's record. */
export const ServerEvent = event(serverEventTypes, {
  server: z.strictObject({ id: ServerId, name: z.string(), status: z.string() }),
  changed: z.array(z.string()),
});
export type ServerEvent = z.infer<typeof ServerEvent>;

/** One of several servers of a project. `live`: the live deployment, which it does not serve, or serves again. */
export const CatchUpEvent = event(catchUpEventTypes, {
  project: ProjectReference,
  server: ServerReference,
  live: z.strictObject({ id: DeploymentId, version: wholeFrom(1) }),
});
export type CatchUpEvent = z.infer<typeof CatchUpEvent>;

/** `changed`: the names of the settings that changed. */
export const ProjectEvent = event(projectEventTypes, {
  project: ProjectReference,
  changed: z.array(z.string()),
});
export type ProjectEvent = z.infer<typeof ProjectEvent>;

/** `set` and `removed`: the names of variables, never a value. */
export const VariablesEvent = event(["variables.updated"], {
  project: ProjectReference,
  revision: wholeFrom(1),
  set: z.array(z.string()),
  removed: z.array(z.string()),
});
export type VariablesEvent = z.infer<typeof VariablesEvent>;

/** The live deployment at that time; null: none. */
const live = z.nullable(z.strictObject({ id: DeploymentId, version: wholeFrom(1) }));

/** Why a process or job recovered: it works again, a user stopped it, or the live deployment does not have it. */
export const RecoveryReason = z.enum(["working", "stopped", "removed"]);
export type RecoveryReason = z.infer<typeof RecoveryReason>;

/** `page`: the path of the dashboard's page with the output. `server`: of several servers; null: the project has one. */
const troubled = {
  project: ProjectReference,
  server: z._default(z.nullable(ServerReference), null),
  live,
  since: z.string(),
  page: z.string(),
};

/**
 * `ends`, `seconds`: how often an instance ended within how many seconds; null in other events, and if it is not known.
 * `reason`: null if it did not recover.
 */
export const ProcessEvent = event(processEventTypes, {
  ...troubled,
  process: z.strictObject({
    name: z.string(),
    running: z.nullable(wholeFrom(0)),
    desired: z.nullable(wholeFrom(0)),
  }),
  ends: z.nullable(wholeFrom(1)),
  seconds: z.nullable(wholeFrom(0)),
  exit_code: z.nullable(wholeFrom(0)),
  signal: z.nullable(z.string()),
  last_exit: z.nullable(z.string()),
  last_line: z.nullable(z.string()),
  reason: z.nullable(growing(RecoveryReason)),
});
export type ProcessEvent = z.infer<typeof ProcessEvent>;

/** `run`: the run that failed; null if the job recovered. */
export const CronEvent = event(cronEventTypes, {
  ...troubled,
  job: z.strictObject({ name: z.string() }),
  run: z.nullable(FailedRun),
  reason: z.nullable(growing(RecoveryReason)),
});
export type CronEvent = z.infer<typeof CronEvent>;

/** `problem`: why the certificate was not renewed, as far as known, as a sentence. */
export const CertificateEvent = event(certificateEventTypes, {
  ...troubled,
  certificate: z.strictObject({ domain: z.string(), expires_at: z.nullable(z.string()) }),
  problem: z.nullable(z.string()),
});
export type CertificateEvent = z.infer<typeof CertificateEvent>;

export const TokenEvent = event(tokenEventTypes, {
  token: z.strictObject({ id: TokenId, name: z.string(), scopes: z.array(growing(Scope)) }),
});
export type TokenEvent = z.infer<typeof TokenEvent>;

/** `changed`: the names of the fields that changed. */
export const TrustRuleEvent = event(trustRuleEventTypes, {
  trust_rule: z.strictObject({
    id: TrustRuleId,
    name: z.string(),
    provider: z.string(),
    issuer: z.string(),
    subject: z.string(),
  }),
  changed: z.array(z.string()),
});
export type TrustRuleEvent = z.infer<typeof TrustRuleEvent>;

/** `changed`: the names of the fields that changed. */
export const MemberEvent = event(memberEventTypes, {
  member: MemberReference,
  changed: z.array(z.string()),
});
export type MemberEvent = z.infer<typeof MemberEvent>;

export const InvitationEvent = event(invitationEventTypes, {
  invitation: z.strictObject({ id: InvitationId, email: z.nullable(z.string()) }),
});
export type InvitationEvent = z.infer<typeof InvitationEvent>;

export const PasskeyEvent = event(passkeyEventTypes, {
  member: MemberReference,
  passkey: z.strictObject({ id: PasskeyId, name: z.string() }),
});
export type PasskeyEvent = z.infer<typeof PasskeyEvent>;

/** `changed`: the names of the fields that changed. */
export const ConnectionEvent = event(connectionEventTypes, {
  connection: z.strictObject({ id: ConnectionId, name: z.string(), issuer: z.string() }),
  changed: z.array(z.string()),
});
export type ConnectionEvent = z.infer<typeof ConnectionEvent>;

/** `identity.name`: the address or the login at the provider; null: it gave none. */
export const IdentityEvent = event(identityEventTypes, {
  member: MemberReference,
  identity: z.strictObject({ id: IdentityId, connection: z.string(), name: z.nullable(z.string()) }),
});
export type IdentityEvent = z.infer<typeof IdentityEvent>;

/** `reason`: why the webhook was disabled, as a sentence. */
export const WebhookEvent = event(webhookEventTypes, {
  webhook: z.strictObject({ id: WebhookId, name: z.string(), kind: z.string() }),
  reason: z.nullable(z.string()),
});
export type WebhookEvent = z.infer<typeof WebhookEvent>;

/** `reason`: why a delivery was refused, as a sentence. */
export const HookEvent = event(hookEventTypes, {
  hook: z.strictObject({ id: HookId, forge: z.string(), repository: z.string() }),
  reason: z.nullable(z.string()),
});
export type HookEvent = z.infer<typeof HookEvent>;

/** `project`: null: the freeze holds all projects of the account. */
export const FreezeEvent = event(freezeEventTypes, {
  project: z.nullable(ProjectReference),
  freeze: z.strictObject({ id: FreezeId, name: z.string() }),
});
export type FreezeEvent = z.infer<typeof FreezeEvent>;

/** `account.link_used`: somebody has signed in by a sign-in link, although the account has an owner. */
export const AccountEvent = event(accountEventTypes, {
  account: z.strictObject({ id: AccountId }),
  changed: z.array(z.string()),
});
export type AccountEvent = z.infer<typeof AccountEvent>;

/** The audit log was sealed up to the entry with this number. `hash`: SHA-256 in hex. */
export const AuditEvent = event(["audit.sealed"], {
  seal: z.strictObject({ number: wholeFrom(1), last_entry: wholeFrom(1), hash: z.string() }),
});
export type AuditEvent = z.infer<typeof AuditEvent>;

/** Every type of event, in the order of the reference. */
export const EventType = z.enum([
  ...deploymentEventTypes,
  ...serverEventTypes,
  ...catchUpEventTypes,
  ...projectEventTypes,
  "variables.updated",
  ...processEventTypes,
  ...cronEventTypes,
  ...certificateEventTypes,
  ...tokenEventTypes,
  ...trustRuleEventTypes,
  ...memberEventTypes,
  ...invitationEventTypes,
  ...passkeyEventTypes,
  ...connectionEventTypes,
  ...identityEventTypes,
  ...webhookEventTypes,
  ...hookEventTypes,
  ...freezeEventTypes,
  ...accountEventTypes,
  "audit.sealed",
]);
export type EventType = z.infer<typeof EventType>;

/** An event of a type that a newer version has added, with its data as it is. */
const UnknownEvent = z.object({
  id: EventId,
  type: unknownOf(EventType.options),
  timestamp: z.string(),
  data: z.looseObject(common),
});

/** Something that has changed. */
export const Event = z.discriminatedUnion("type", [
  DeploymentEvent,
  ServerEvent,
  CatchUpEvent,
  ProjectEvent,
  VariablesEvent,
  ProcessEvent,
  CronEvent,
  CertificateEvent,
  TokenEvent,
  TrustRuleEvent,
  MemberEvent,
  InvitationEvent,
  PasskeyEvent,
  ConnectionEvent,
  IdentityEvent,
  WebhookEvent,
  HookEvent,
  FreezeEvent,
  AccountEvent,
  AuditEvent,
]);
export type Event = z.infer<typeof Event>;

/** An event as a client reads it: later versions may add types, and fields to the data of a type. */
export const ReadEvent = growing(Event, UnknownEvent);
export type ReadEvent = z.infer<typeof ReadEvent>;

/** Whether this version knows the type of an event. */
export function isKnown(read: ReadEvent): read is Event {
  return EventType.options.some((type) => type === read.type);
}
