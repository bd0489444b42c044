import type { Command } from "#cli/arguments/command.ts";
import { accountSet } from "#cli/commands/account-set.ts";
import { accountShow } from "#cli/commands/account-show.ts";
import { apply } from "#cli/commands/apply.ts";
import { approve } from "#cli/commands/approve.ts";
import { auditList } from "#cli/commands/audit-list.ts";
import { auditVerify } from "#cli/commands/audit-verify.ts";
import { build } from "#cli/commands/build.ts";
import { cancel } from "#cli/commands/cancel.ts";
import { completion } from "#cli/commands/completion.ts";
import { deleteCommand } from "#cli/commands/delete.ts";
import { deploy } from "#cli/commands/deploy.ts";
import { deploymentsList } from "#cli/commands/deployments-list.ts";
import { deploymentsShow } from "#cli/commands/deployments-show.ts";
import { detect } from "#cli/commands/detect.ts";
import { events } from "#cli/commands/events.ts";
import { freezesCreate } from "#cli/commands/freezes-create.ts";
import { freezesDelete } from "#cli/commands/freezes-delete.ts";
import { freezesList } from "#cli/commands/freezes-list.ts";
import { hooksConnect } from "#cli/commands/hooks-connect.ts";
import { hooksCreate } from "#cli/commands/hooks-create.ts";
import { hooksDelete } from "#cli/commands/hooks-delete.ts";
import { hooksList } from "#cli/commands/hooks-list.ts";
import { hooksRotate } from "#cli/commands/hooks-rotate.ts";
import { hooksShow } from "#cli/commands/hooks-show.ts";
import { importComposeCommand } from "#cli/commands/import-compose.ts";
import { login } from "#cli/commands/login.ts";
import { logout } from "#cli/commands/logout.ts";
import { logs } from "#cli/commands/logs.ts";
import { maintenance } from "#cli/commands/maintenance.ts";
import { membersInvite } from "#cli/commands/members-invite.ts";
import { membersList } from "#cli/commands/members-list.ts";
import { membersRemove } from "#cli/commands/members-remove.ts";
import { membersSet } from "#cli/commands/members-set.ts";
import { membersWithdraw } from "#cli/commands/members-withdraw.ts";
import { open } from "#cli/commands/open.ts";
import { pause, resume } from "#cli/commands/pause.ts";
import { projectsCreate } from "#cli/commands/projects-create.ts";
import { projectsDelete } from "#cli/commands/projects-delete.ts";
import { projectsLink } from "#cli/commands/projects-link.ts";
import { projectsList } from "#cli/commands/projects-list.ts";
import { projectsSet } from "#cli/commands/projects-set.ts";
import { projectsShow } from "#cli/commands/projects-show.ts";
import { projectsCheckDomains } from "#cli/commands/projects-check-domains.ts";
import { projectsTestRepository } from "#cli/commands/projects-test-repository.ts";
import { configApply } from "#cli/commands/config-apply.ts";
import { configExport } from "#cli/commands/config-export.ts";
import { configPlan } from "#cli/commands/config-plan.ts";
import { configPull } from "#cli/commands/config-pull.ts";
import { configSchema } from "#cli/commands/config-schema.ts";
import { connectionsList } from "#cli/commands/connections-list.ts";
import { cronList } from "#cli/commands/cron-list.ts";
import { cronLogs } from "#cli/commands/cron-logs.ts";
import { cronRun } from "#cli/commands/cron-run.ts";
import { ps } from "#cli/commands/ps.ts";
import { pushesList } from "#cli/commands/pushes-list.ts";
import { pushesReplay } from "#cli/commands/pushes-replay.ts";
import { restart } from "#cli/commands/restart.ts";
import { rollback } from "#cli/commands/rollback.ts";
import { runCommand } from "#cli/commands/run.ts";
import { scale } from "#cli/commands/scale.ts";
import { serversAdd } from "#cli/commands/servers-add.ts";
import { serversDrain, serversUndrain } from "#cli/commands/servers-drain.ts";
import { serversEnroll } from "#cli/commands/servers-enroll.ts";
import { serversList } from "#cli/commands/servers-list.ts";
import { serversRemove } from "#cli/commands/servers-remove.ts";
import { serversSet } from "#cli/commands/servers-set.ts";
import { serversShow } from "#cli/commands/servers-show.ts";
import { start } from "#cli/commands/start.ts";
import { stopCommand } from "#cli/commands/stop.ts";
import { tokensCreate } from "#cli/commands/tokens-create.ts";
import { tokensList } from "#cli/commands/tokens-list.ts";
import { tokensRevoke } from "#cli/commands/tokens-revoke.ts";
import { tokensRotate } from "#cli/commands/tokens-rotate.ts";
import { trustCreate } from "#cli/commands/trust-create.ts";
import { trustDelete } from "#cli/commands/trust-delete.ts";
import { trustList } from "#cli/commands/trust-list.ts";
import { trustSet } from "#cli/commands/trust-set.ts";
import { trustTest } from "#cli/commands/trust-test.ts";
import { variablesExport } from "#cli/commands/variables-export.ts";
import { variablesHistory } from "#cli/commands/variables-history.ts";
import { variablesImport } from "#cli/commands/variables-import.ts";
import { variablesList } from "#cli/commands/variables-list.ts";
import { variablesRemove } from "#cli/commands/variables-remove.ts";
import { variablesSet } from "#cli/commands/variables-set.ts";
import { webhooksCreate } from "#cli/commands/webhooks-create.ts";
import { webhooksDelete } from "#cli/commands/webhooks-delete.ts";
import { webhooksDeliveries } from "#cli/commands/webhooks-deliveries.ts";
import { webhooksDisable, webhooksEnable } from "#cli/commands/webhooks-enable.ts";
import { webhooksList } from "#cli/commands/webhooks-list.ts";
import { webhooksResend } from "#cli/commands/webhooks-resend.ts";
import { webhooksRotate } from "#cli/commands/webhooks-rotate.ts";
import { webhooksShow } from "#cli/commands/webhooks-show.ts";
import { webhooksTest } from "#cli/commands/webhooks-test.ts";
import { whoami } from "#cli/commands/whoami.ts";

/** Every command, in the order of the help. Usage, help, completion and docs are generated from this table. */
export const commands: readonly Command[] = [
  login,
  logout,
  whoami,
  detect,
  importComposeCommand,
  build,
  deploy,
  logs,
  deploymentsList,
  deploymentsShow,
  rollback,
  cancel,
  approve,
  deleteCommand,
  ps,
  scale,
  restart,
  stopCommand,
  start,
  apply,
  maintenance,
  pause,
  resume,
  runCommand,
  cronList,
  cronLogs,
  cronRun,
  projectsList,
  projectsShow,
  projectsCreate,
  projectsSet,
  projectsCheckDomains,
  projectsTestRepository,
  projectsLink,
  projectsDelete,
  pushesList,
  pushesReplay,
  hooksList,
  hooksShow,
  hooksConnect,
  hooksCreate,
  hooksRotate,
  hooksDelete,
  variablesList,
  variablesSet,
  variablesRemove,
  variablesImport,
  variablesExport,
  variablesHistory,
  freezesList,
  freezesCreate,
  freezesDelete,
  serversList,
  serversShow,
  serversAdd,
  serversSet,
  serversDrain,
  serversUndrain,
  serversEnroll,
  serversRemove,
  events,
  webhooksList,
  webhooksCreate,
  webhooksShow,
  webhooksTest,
  webhooksRotate,
  webhooksDeliveries,
  webhooksResend,
  webhooksEnable,
  webhooksDisable,
  webhooksDelete,
  auditList,
  auditVerify,
  membersList,
  membersInvite,
  membersSet,
  membersRemove,
  membersWithdraw,
  connectionsList,
  tokensList,
  tokensCreate,
  tokensRotate,
  tokensRevoke,
  trustList,
  trustCreate,
  trustSet,
  trustTest,
  trustDelete,
  accountShow,
  accountSet,
  configExport,
  configPlan,
  configApply,
  configPull,
  configSchema,
  open,
  completion,
];
