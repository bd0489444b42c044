import {
  Account,
  AccountPermission,
  Health,
  UpdateAccountInput,
} from "#contract/endpoints/accounts/schemas.ts";
import { tokenFields } from "#contract/endpoints/tokens/texts.ts";
import { example } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { nested, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

const account = {
  id: example.account,
  name: "Acme",
  log_retention_days: 90,
  deployment_retention_days: null,
  database_used_percent: null,
  has_owner: true,
  token: {
    id: example.token,
    name: "CI of shop",
    scopes: ["deployments:write", "projects:read"],
    project_ids: [example.project],
    expires_at: "2027-01-31T08:20:00.000Z",
  },
  member: null,
  permissions: [{ scopes: ["deployments:write", "projects:read"], project_ids: [example.project] }],
} as const;

export const accountTexts = {
  getAccount: {
    summary: "Get the account and the current token",
    description: prose`
      Returns the account of the token, and the permissions of the token. Any valid token can call this endpoint, so use
      it to test a token.`,
    answer: account,
  },
  updateAccount: {
    summary: "Change the account's settings",
    description: prose`
      Changes settings of the account, which apply to all of its projects. Omitted fields keep their values.

      \`log_retention_days\` also applies to existing logs. If you lower it, older logs are deleted soon and cannot be
      restored. If you raise it, logs that still exist are kept longer.

      \`deployment_retention_days\` removes the records of deployments, with their logs, within a day after the time has
      passed. These always stay: the live deployment, what has not ended, everything a rollback can go back to, and the
      newest 100 of each project. A removed record cannot be restored. Its events stay for their own 90 days.`,
    body: { log_retention_days: 30, deployment_retention_days: 365 },
    answer: { ...account, log_retention_days: 30, deployment_retention_days: 365 },
  },
  getHealth: {
    summary: "Check the health of the control plane and its database",
    description: prose`
      Reports whether the control plane is running and its database has its tables. It needs no token, so load balancers
      and uptime monitors can call it: 200 means healthy, 503 means unhealthy.

      With \`deep=true\` it also says which copy of the database serves reads from where you are. The result may be some
      seconds old.`,
    answer: { status: "ok" },
  },
} as const satisfies Partial<OperationTexts>;

const logRetention =
  "How many days after its end a deployment's log is kept. The log is deleted within a day after that.";

const deploymentRetention =
  "How many days after its end a deployment is kept. `null`: forever. The live one, rollback targets and the newest 100 of each project always stay.";

export const accountSchemas = {
  Account: object(Account, "An account, and the token of the request.", {
    id: "The account's id.",
    name: "The account's name.",
    log_retention_days: logRetention,
    deployment_retention_days: deploymentRetention,
    database_used_percent:
      "How full the installation's database is, in percent of what its plan allows. `null`: less than 70. When it is full, nothing can be deployed.",
    token: "The token that the request was sent with.",
    ...nested("token", { ...tokenFields, name: "The token's name." }),
    has_owner: "Whether a member is an owner. If not, the person with a sign-in link can become the owner.",
    member: "The member whose session or personal token the request was sent with. `null`: none.",
    ...nested("member", {
      id: "The member's id.",
      name: "The member's name.",
      is_owner: "Whether the member is an owner.",
    }),
    permissions: "What the request's token allows now. The entries add up.",
  }),
  AccountPermission: object(AccountPermission, "What the token of the request allows in some projects.", {
    scopes: "The scopes that it has.",
    project_ids: "The projects in which it has them. `null`: all of the account.",
  }),
  UpdateAccountInput: object(UpdateAccountInput, "The settings to change.", {
    log_retention_days: logRetention,
    deployment_retention_days: deploymentRetention,
  }),
  Health: object(Health, "The control plane is healthy.", {
    status: "Always `ok`.",
    database: "The copy of the database that serves reads from here. Only with `deep=true`.",
    ...nested("database", {
      region: "Its region, such as `WEUR`. Null: unknown, as on a local installation.",
      primary: "Whether it is the database itself, and not a replica. Null: unknown.",
    }),
  }),
} satisfies Record<string, SchemaText>;
