import { deploymentFields } from "#contract/endpoints/deployments/field-texts.ts";
import { Events } from "#contract/endpoints/events/endpoints.ts";
import { eventTypeTexts } from "#contract/endpoints/events/event-type-texts.ts";
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
const troubled = {
  "data.server": "The server on which it failed or recovered. `null` if the project has one server.",
  "data.server.id": "The server's id.",
  "data.server.name": "The server's name.",
  "data.live": "The live deployment. `null` if there is none.",
  "data.live.id": "The id of the live deployment.",
  "data.live.version": "The version of the live deployment.",
  "data.since": "Since when it failed, or has failed before it recovered.",
  "data.page": "The path of the dashboard's page with the output, below the address of the installation.",
} as const;
const changed = { "data.changed": "The names of the settings that changed." } as const;

export const eventSchemas = {
  EventType: choice(schemas.EventType, "The type of an event.", eventTypeTexts),
  EventActor: object(schemas.EventActor, "Who caused an event.", {
    type: "`token`: a request with a token. `hook`: a push that a git host reported. `server`: the agent of a server. `system`: Gantry itself, such as a timeout.",
    id: "The id of the token, the hook or the server. `null` for `system`.",
    name: "The name of the person, of the token or of the server, or of who pushed, at that time.",
    member: "The member, if the token is the session or the personal token of one.",
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
    server_id: "The server on which it failed. Absent if the project has one server.",
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
  CatchUpEvent: object(
    schemas.CatchUpEvent,
    "One of several servers of a project does not serve the live deployment, or serves it again.",
    {
      ...common,
      ...project,
      "data.server": "The server.",
      "data.server.id": "The server's id.",
      "data.server.name": "The server's name.",
      "data.live": "The live deployment.",
      "data.live.id": "The deployment's id.",
      "data.live.version": "The deployment's version.",
    },
  ),
  ProjectEvent: object(schemas.ProjectEvent, "A project has changed.", { ...common, ...project, ...changed }),
  VariablesEvent: object(schemas.VariablesEvent, "Variables or secrets of a project have changed.", {
    ...common,
    ...project,
    "data.revision": "The revision that the change made.",
    "data.set": "The names of the variables that were set. The values are in no event.",
    "data.removed": "The names of the variables that were removed.",
  }),
  RecoveryReason: choice(schemas.RecoveryReason, "Why something no longer counts as failing.", {
    working: "it works: the process has run for long enough, or the job succeeded",
    stopped: "somebody stopped it, or scaled it to 0",
    removed: "it is no longer part of what is live, or the project was removed from the server",
  }),
  ProcessEvent: object(schemas.ProcessEvent, "A process crashes again and again, or has recovered.", {
    ...common,
    ...project,
    ...troubled,
    "data.process": "The process.",
    "data.process.name": "The name of the process.",
    "data.process.running": "How many of its instances run. `null` if it was removed.",
    "data.process.desired": "How many of its instances should run. `null` if it was removed.",
    "data.ends":
      "How often an instance ended within `seconds`. `null` if that is not known, and in `process.recovered`.",
    "data.seconds": "See `ends`.",
    "data.exit_code": "The exit code of its last end. `null` if a signal ended it, or if that is not known.",
    "data.signal": "The signal that ended it last. `null` if none did, or if that is not known.",
    "data.last_exit": "How it ended last, such as `ended with exit code 1`. `null` if that is not known.",
    "data.last_line":
      "The last line that it printed before it ended. Values of secrets are masked. `null`: none.",
    "data.reason": "Why it recovered. `null` in `process.crash_looping`.",
  }),
  CronEvent: object(schemas.CronEvent, "A cron job failed, or has recovered.", {
    ...common,
    ...project,
    ...troubled,
    "data.job": "The job.",
    "data.job.name": "The name of the job.",
    "data.run": "The run that failed, with the last line that it printed. `null` in `cron.recovered`.",
    "data.reason": "Why it recovered. `null` in `cron.failed`.",
  }),
  CertificateEvent: object(schemas.CertificateEvent, "A certificate expires soon, or was renewed.", {
    ...common,
    ...project,
    ...troubled,
    "data.certificate": "The certificate.",
    "data.certificate.domain": "The domain.",
    "data.certificate.expires_at": "When it expires. `null` if that is not known.",
    "data.problem":
      "Why it was not renewed, as far as it is known, as a sentence. `null` in `certificate.renewed`.",
  }),
  TokenEvent: object(schemas.TokenEvent, "A token has changed.", {
    ...common,
    "data.token": "The token, without its secret.",
    "data.token.id": "The token's id.",
    "data.token.name": "The token's name.",
    "data.token.scopes": "The token's permissions.",
  }),
  TrustRuleEvent: object(schemas.TrustRuleEvent, "A trust rule has changed.", {
    ...common,
    ...changed,
    "data.trust_rule": "The trust rule.",
    "data.trust_rule.id": "The trust rule's id.",
    "data.trust_rule.name": "The trust rule's name.",
    "data.trust_rule.provider": "The CI system.",
    "data.trust_rule.issuer": "The issuer of their identity tokens.",
    "data.trust_rule.subject": "The id of their repository or pipeline.",
  }),
  MemberEvent: object(schemas.MemberEvent, "A member has joined, changed or gone.", {
    ...common,
    ...changed,
    "data.member": "The member.",
  }),
  InvitationEvent: object(schemas.InvitationEvent, "An invitation was created or withdrawn.", {
    ...common,
    "data.invitation": "The invitation.",
    "data.invitation.id": "The invitation's id.",
    "data.invitation.email": "The address of the person. `null`: not given.",
  }),
  PasskeyEvent: object(schemas.PasskeyEvent, "A passkey was added or removed.", {
    ...common,
    "data.member": "The member whose passkey it is.",
    "data.passkey": "The passkey.",
    "data.passkey.id": "The passkey's id.",
    "data.passkey.name": "The passkey's name.",
  }),
  ConnectionEvent: object(schemas.ConnectionEvent, "A connection for single sign-on has changed.", {
    ...common,
    ...changed,
    "data.connection": "The connection.",
    "data.connection.id": "The connection's id.",
    "data.connection.name": "The connection's name.",
    "data.connection.issuer": "The address of the provider.",
  }),
  IdentityEvent: object(schemas.IdentityEvent, "An identity of a member was added or removed.", {
    ...common,
    "data.member": "The member.",
    "data.identity": "What the provider calls the member.",
    "data.identity.id": "The identity's id.",
    "data.identity.connection": "The name of the connection.",
    "data.identity.name": "The address or the login at the provider. `null`: it gave none.",
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
    "data.project": "The project whose deployments wait. `null`: the deployments of all projects.",
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
