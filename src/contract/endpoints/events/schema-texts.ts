import { deploymentFields } from "#contract/endpoints/deployments/field-texts.ts";
import { Events } from "#contract/endpoints/events/endpoints.ts";
import * as schemas from "#contract/endpoints/events/schemas.ts";
import { choice, nextCursor, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

const common = {
  id: "The event's id. It is the same in every delivery of the event.",
  type: "What has happened.",
  timestamp: "When it happened.",
  data: "What the event is about, as it was at that time.",
  "data.sequence":
    "The event's number in its account. It rises with each event, so the events of a project are in this order too.",
  "data.actor": "Who caused it.",
} as const;

const project = {
  "data.project": "The project.",
  "data.project.id": "The project's id.",
  "data.project.name": "The project's name.",
} as const;
const changed = { "data.changed": "The names of the settings that changed." } as const;

export const eventSchemas = {
  EventType: choice(schemas.EventType, "The type of an event.", {
    "deployment.started": "a deployment was accepted, and is next or waits in the queue",
    "deployment.emergency":
      "somebody started a deployment that passes freezes and approvals; `emergency` has the reason",
    "deployment.held": "a deployment waits for an approval, or for the end of a freeze",
    "deployment.approved": "somebody approved a deployment",
    "deployment.building": "the run of a deployment has begun; its commit is known",
    "deployment.live": "the project serves the deployment",
    "deployment.superseded": "another deployment is live instead",
    "deployment.failed": "a deployment did not go live; `failure` has the reason",
    "deployment.canceled": "a deployment was canceled before it went live",
    "deployment.deleted": "a deployment and its log were deleted",
    "server.created": "a server was registered",
    "server.updated": "the settings of a server changed",
    "server.healthy": "the agent of a server is connected, and nothing is wrong",
    "server.degraded":
      "the disk of a server is nearly full, or its ingress does not work or is missing for an app",
    "server.offline": "the agent of a server has not been connected for a minute",
    "server.deleted": "a server was deleted",
    "project.created": "a project was created",
    "project.updated": "the settings of a project changed",
    "project.deleted": "a project was deleted",
    "variables.updated": "variables or secrets of a project changed",
    "token.created": "a token was created",
    "token.rotated": "a token got a new secret",
    "token.revoked": "a token was revoked",
    "webhook.created": "a webhook was created",
    "webhook.updated": "the settings of a webhook changed, or it was enabled",
    "webhook.disabled": "a webhook was disabled, because its deliveries failed",
    "webhook.deleted": "a webhook was deleted",
    "webhook.test": "somebody tested a webhook",
    "hook.created": "a hook was created",
    "hook.updated": "a hook got a new secret",
    "hook.refused": "a hook refused a delivery, such as one with a wrong signature",
    "hook.deleted": "a hook was deleted",
    "freeze.created": "a freeze was created",
    "freeze.updated": "a freeze changed",
    "freeze.deleted": "a freeze was deleted",
    "account.updated": "the settings of the account changed",
    "audit.sealed": "entries of the audit log were sealed",
  }),
  EventActor: object(schemas.EventActor, "Who caused an event.", {
    type: "`token`: a request with a token. `hook`: a push that a git host reported. `server`: the agent of a server. `system`: Gantry itself, such as a timeout.",
    id: "The id of the token, the hook or the server. `null` for `system`.",
    name: "The name of the token or of the server, or of who pushed, at that time.",
  }),
  EventProject: object(schemas.EventProject, "The project of an event, as it was at that time.", {
    id: "The project's id.",
    name: "The project's name.",
    repository: "The address of the repository, without a password.",
    url: "Where the site of the project is served. `null` if that is not known.",
  }),
  EventFailure: object(schemas.EventFailure, "Why a deployment failed.", {
    code: "The reason, for programs.",
    message: "The reason, for people.",
    stage: "The stage that failed.",
    failing_line: "The line of the command's output that most likely says why it failed.",
    hint: "What to do about it, if the cause is a known one.",
  }),
  EventDeployment: object(schemas.EventDeployment, "A deployment in an event, as it was at that time.", {
    ...schemas.withoutRecordFields(deploymentFields),
    pushed_sha: "The commit of the push that started the deployment. `null` if no push did.",
    hold: "What the deployment waits for at the head of the queue, besides its server. `null`: nothing.",
  }),
  DeploymentEvent: object(schemas.DeploymentEvent, "A deployment has changed.", {
    ...common,
    "data.project": "The project of the deployment.",
    "data.deployment": "The deployment.",
    "data.replaced_by":
      "The newer deployment that took its place: in the queue (`deployment.canceled`), or live (`deployment.superseded`). `null` in other events.",
    "data.replaced_by.id": "The id of the newer deployment.",
    "data.replaced_by.version": "The version of the newer deployment.",
  }),
  ServerEvent: object(schemas.ServerEvent, "A server has changed.", {
    ...common,
    ...changed,
    "data.server": "The server.",
    "data.server.id": "The server's id.",
    "data.server.name": "The server's name.",
    "data.server.status": "The server's status.",
  }),
  ProjectEvent: object(schemas.ProjectEvent, "A project has changed.", { ...common, ...project, ...changed }),
  VariablesEvent: object(schemas.VariablesEvent, "Variables or secrets of a project have changed.", {
    ...common,
    ...project,
    "data.revision": "The revision that the change made.",
    "data.set": "The names of the variables that were set. The values are in no event.",
    "data.removed": "The names of the variables that were removed.",
  }),
  TokenEvent: object(schemas.TokenEvent, "A token has changed.", {
    ...common,
    "data.token": "The token, without its secret.",
    "data.token.id": "The token's id.",
    "data.token.name": "The token's name.",
    "data.token.scopes": "The token's permissions.",
  }),
  WebhookEvent: object(schemas.WebhookEvent, "A webhook has changed.", {
    ...common,
    "data.webhook": "The webhook.",
    "data.webhook.id": "The webhook's id.",
    "data.webhook.name": "The webhook's name.",
    "data.webhook.kind": "What the webhook sends.",
    "data.reason": "Why the webhook was disabled. `null` in other events.",
  }),
  HookEvent: object(schemas.HookEvent, "A hook has changed, or has refused a delivery.", {
    ...common,
    "data.hook": "The hook.",
    "data.hook.id": "The hook's id.",
    "data.hook.forge": "The kind of git host.",
    "data.hook.repository": "The address of the repository.",
    "data.reason": "Why a delivery was refused. `null` in other events.",
  }),
  FreezeEvent: object(schemas.FreezeEvent, "A freeze has changed.", {
    ...common,
    "data.project": "The project whose deployments wait. `null`: those of all projects.",
    "data.project.id": "The project's id.",
    "data.project.name": "The project's name.",
    "data.freeze": "The freeze.",
    "data.freeze.id": "The freeze's id.",
    "data.freeze.name": "The freeze's name.",
  }),
  AccountEvent: object(schemas.AccountEvent, "The settings of the account have changed.", {
    ...common,
    ...changed,
    "data.account": "The account.",
    "data.account.id": "The account's id.",
  }),
  AuditEvent: object(schemas.AuditEvent, "Entries of the audit log were sealed.", {
    ...common,
    "data.seal": "The seal.",
    "data.seal.number": "The number of the seal, from 1.",
    "data.seal.last_entry": "The number of the last entry that it covers.",
    "data.seal.hash": "The hash of the entries and of the seal before, in hexadecimal.",
  }),
  Event: {
    schema: schemas.Event,
    description: "Something that has changed. `type` says which fields `data` has.",
  },
  Events: object(Events, "A page of events.", {
    events: "The events of this page, newest first.",
    next_cursor: nextCursor,
  }),
} satisfies Record<string, SchemaText>;
