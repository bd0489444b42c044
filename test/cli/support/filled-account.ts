import { ServerId } from "#contract/ids.ts";
import { everySetting } from "../../support/every-setting.ts";
import type { Api } from "../../support/journey-api.ts";

/** The secrets of the account, which no output has. */
export const accountSecrets = {
  DATABASE_URL: "postgres://shop:hunter2@db/shop",
  NPM_TOKEN: "npm_of_the_shop",
  SLACK: "https://hooks.slack.com/services/T0/B0/very-secret-part",
  NTFY_TOPIC: "topic-nobody-guesses",
  STATUS_TOKEN: "ghp_statuses",
  HEADER: "Bearer of-the-header",
  QUERY: "https://hooks.example.com/x?key=in-the-query",
  HOOK: "a-secret-that-the-git-host-made",
} as const;

/** The environment in which an export of the account is applied. */
export const secretEnvironment = {
  STORE_DATABASE_URL: accountSecrets.DATABASE_URL,
  STORE_NPM_TOKEN: accountSecrets.NPM_TOKEN,
  MY_SHOP_2_API_KEY: "looks-secret",
  WEBHOOK_CHAT_URL: accountSecrets.SLACK,
  WEBHOOK_PAGER_TOPIC: accountSecrets.NTFY_TOPIC,
  WEBHOOK_STATES_TOKEN: accountSecrets.STATUS_TOKEN,
  WEBHOOK_PROGRAM_2_HEADERS_AUTHORIZATION: accountSecrets.HEADER,
  WEBHOOK_PROGRAM_URL: accountSecrets.QUERY,
};

/** Creates one of everything that a configuration file can have, with names that need quotes and names that repeat. */
export async function fillAccount(api: Api, servers: readonly string[]): Promise<void> {
  const [web = "", jobs = ""] = servers;
  const create = async (path: string, body: object) => {
    const { status, text } = await api.call("POST", path, body);
    if (status !== 201) throw new Error(`${path}: ${text}`);
  };
  const store = await api.createProject({ ...everySetting, server_id: ServerId.parse(web) });
  const shop = await api.createProject({
    name: "my.shop #2",
    repository: "https://example.com/shop.git",
    server_id: web,
    servers: [
      { id: web, processes: ["web"], cron: false },
      { id: jobs, processes: null, cron: true },
    ],
    build_on: jobs,
    install_command: null,
    entry: { type: "balancer", balancers: [web], sticky: true },
  });
  const variables = async (id: string, set: readonly object[]) => {
    const { status, text } = await api.call("PATCH", `/v1/projects/${id}/variables`, { set });
    if (status !== 200) throw new Error(text);
  };
  await variables(store.id, [
    { name: "LOG_LEVEL", value: "info" },
    { name: "TEXT", value: 'a "quoted" # text\nof two lines' },
    { name: "EMPTY", value: "" },
    { name: "DATABASE_URL", value: accountSecrets.DATABASE_URL, secret: true },
    { name: "NPM_TOKEN", value: accountSecrets.NPM_TOKEN, secret: true, build: true },
  ]);
  await variables(shop.id, [{ name: "API_KEY", value: "looks-secret" }]);
  await create("/v1/hooks", {
    forge: "gitea",
    repository: "https://git.test/team/store.git",
    secret: accountSecrets.HOOK,
  });
  await create("/v1/hooks", { forge: "github", repository: "git@github.com:team/other.git" });
  await create("/v1/webhooks", {
    kind: "standard",
    name: "program",
    url: "https://hooks.example.com/gantry",
    headers: { Authorization: accountSecrets.HEADER },
    events: ["certificate.expiring"],
  });
  await create("/v1/webhooks", {
    kind: "standard",
    name: "program",
    url: accountSecrets.QUERY,
    events: ["certificate.*", "cron.failed"],
  });
  await create("/v1/webhooks", {
    kind: "slack",
    name: "chat",
    url: accountSecrets.SLACK,
    project_ids: [shop.id, store.id],
  });
  await create("/v1/webhooks", {
    kind: "ntfy",
    name: "pager",
    url: "https://ntfy.example.com",
    topic: accountSecrets.NTFY_TOPIC,
    only_recoveries: false,
  });
  await create("/v1/webhooks", {
    kind: "commit_status",
    name: "states",
    forge: "github",
    token: accountSecrets.STATUS_TOKEN,
    environment: "production",
    deployments: true,
  });
  const once = { type: "once", from: "2090-12-24T18:00:00+01:00", to: "2090-12-27T06:00:00Z" };
  const weekly = {
    type: "weekly",
    days: ["friday", "saturday"],
    from: "16:00",
    to: "08:00",
    timezone: "Europe/Berlin",
  };
  await create("/v1/freezes", { name: "Weekend.", times: weekly });
  await create("/v1/freezes", { name: "Weekend.", project_id: store.id, times: once });
  await create("/v1/freezes", { name: "Weekend.", times: once });
  await create("/v1/trust-rules", {
    ...{
      name: "store, main",
      provider: "github",
      subject: "123456",
      scopes: ["projects:read", "deployments:write"],
    },
    ...{ claims: { ref: ["refs/heads/main"] }, project_ids: [store.id], lifetime_minutes: 10 },
  });
  await create("/v1/trust-rules", {
    ...{
      name: "other",
      provider: "other",
      issuer: "https://issuer.example.com",
      subject: "job",
      scopes: ["deployments:write"],
    },
    ...{ audience: "deployments", claims: { "job.name": ["deploy"] } },
  });
  const account = await api.call("PATCH", "/v1/account", {
    log_retention_days: 30,
    deployment_retention_days: 60,
  });
  if (account.status !== 200) throw new Error(account.text);
}
