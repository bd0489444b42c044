import * as z from "zod";

import type { WebhookKind } from "#contract/endpoints/webhooks/kinds.ts";
import { AutomaticSetting } from "#contract/endpoints/projects/settings.ts";
import { everySetting } from "../every-setting.ts";
import { call } from "./call.ts";
import type { World } from "./world.ts";

export type Values = Readonly<Record<string, unknown>>;

/** An object of the API as a provider of Terraform keeps it. The defaults of the fields are in `lifeOf`. */
export type Life = {
  readonly name: string;
  /** Of the list. */
  readonly path: string;
  /** The fields that a new object needs. */
  readonly given: (world: World) => Values;
  /** Another value of each field that can be given or changed. */
  readonly others: (world: World) => Values | Promise<Values>;
  /** What a second object must have of its own, besides `others`. */
  readonly second: (others: Values) => Values;
  /** How an existing object is found in the list. */
  readonly importedBy: (given: Values) => Values;
  /** The fields of the answer to the creation that no later answer has. */
  readonly shownOnce: readonly string[];
  /** The fields of requests that answers do not have, with the field that tells of them. */
  readonly hidden: Readonly<Record<string, string | null>>;
  /** The hidden fields whose values no answer contains. */
  readonly secrets: readonly string[];
  /** The fields that follow from a field. */
  readonly follows: Readonly<Record<string, readonly string[]>>;
  /** The fields that must be sent along with a field. */
  readonly along: Readonly<Record<string, readonly string[]>>;
  /** Fields that this life does not change. */
  readonly ignored: readonly string[];
  /** The request that sets a field, or all fields for null, back to what was read first. */
  readonly back: (name: string | null, first: Values, given: Values, all?: Values) => Values;
};

function lifeOf(life: Pick<Life, "name" | "path" | "given" | "others"> & Partial<Life>): Life {
  return {
    second: () => ({}),
    importedBy: ({ name }) => ({ name }),
    shownOnce: [],
    hidden: {},
    secrets: [],
    follows: {},
    along: {},
    ignored: [],
    back: (name, first, given, all = {}) =>
      name === null ? all : { [name]: name in first ? first[name] : given[name] },
    ...life,
  };
}

const Server = z.object({ id: z.string() });

/** A day in some years. */
const holidays = (offset: string) => ({
  type: "once",
  from: `2099-12-24T18:00:00${offset}`,
  to: `2099-12-27T18:00:00${offset}`,
});

const server = lifeOf({
  name: "a server",
  path: "/v1/servers",
  given: () => ({ name: "web-9", ip: "192.0.2.90" }),
  others: () => ({ name: "web-10", ip: "192.0.2.91", region: "weur", address: "10.0.0.7" }),
  second: () => ({ name: "web-11" }),
  shownOnce: ["enrollment"],
});

/** The settings that have the framework's value until the project has its own. */
const automatic: readonly string[] = AutomaticSetting.options;

const withoutAutomatic = (all: Values, { automatic: names }: Values): Values =>
  Object.fromEntries(
    Object.entries(all).filter(([name]) => !z.array(z.string()).parse(names).includes(name)),
  );

const project = lifeOf({
  name: "a project",
  path: "/v1/projects",
  given: ({ serverId }) => ({ name: "blog", server_id: serverId, repository: "https://git.test/blog.git" }),
  async others({ account, serverId }) {
    const body = { name: "web-20", ip: "192.0.2.20" };
    const created = await call("/v1/servers", { method: "POST", token: account.token, body });
    const { id } = Server.parse(await created.json());
    const servers = [serverId, id].map((one) => ({ id: one, processes: null, cron: false }));
    return { ...everySetting, server_id: id, servers, build_on: id };
  },
  second: ({ servers }) => ({ server_id: z.array(Server).parse(servers)[0]?.id }),
  ignored: ["automatic"],
  follows: {
    framework: [...automatic, "automatic", "app_type", "suggested_release_command", "framework_reasons"],
    ...Object.fromEntries(automatic.slice(1).map((name) => [name, ["automatic"]])),
    server_id: ["servers", "servers_state"],
    servers: ["servers_state"],
  },
  back(name, first, _given, all = {}) {
    if (name === null) return { ...withoutAutomatic(all, first), automatic: first["automatic"] };
    if (automatic.includes(name)) return { automatic: [name] };
    // Parts that a request omits stay as they are.
    if (name === "limits") return { limits: { memory_mb: null, cpu_weight: null, tasks: null } };
    if (name === "processes") return { processes: { web: null } };
    return { [name]: first[name] };
  },
});

const token = lifeOf({
  name: "a token",
  path: "/v1/tokens",
  given: () => ({ name: "CI", scopes: ["projects:read"] }),
  others: ({ projectId }) => ({
    name: "CI of shop",
    scopes: ["deployments:read", "deployments:write"],
    project_ids: [projectId],
    expires_in_days: 7,
  }),
  shownOnce: ["token"],
  hidden: { expires_in_days: "expires_at" },
});

const freeze = lifeOf({
  name: "a freeze",
  path: "/v1/freezes",
  given: () => ({ name: "Holidays", times: holidays("Z") }),
  others: ({ projectId }) => ({ name: "Stocktaking", times: holidays("+02:00"), project_id: projectId }),
  follows: { times: ["window", "active"] },
});

const hook = lifeOf({
  name: "a hook",
  path: "/v1/hooks",
  given: () => ({ forge: "gitea", repository: "https://git.test/hooked.git" }),
  others: () => ({
    forge: "gitlab",
    repository: "https://git.test/other.git",
    secret: "a-secret-of-the-forge",
  }),
  importedBy: ({ forge, repository }) => ({ forge, repository }),
  shownOnce: ["secret"],
  hidden: { secret: null },
  secrets: ["secret"],
});

const trustRule = lifeOf({
  name: "a trust rule",
  path: "/v1/trust-rules",
  given: () => ({
    name: "shop, main",
    provider: "gitlab",
    issuer: "https://gitlab.com",
    subject: "7",
    claims: { ref_path: ["refs/heads/main"] },
    scopes: ["deployments:write"],
  }),
  others: ({ projectId }) => ({
    name: "shop, stable",
    subject: "8",
    audience: "https://other.example.com",
    claims: { ref_path: ["refs/heads/stable"], ref_protected: ["true"], pipeline_source: ["push"] },
    scopes: ["deployments:read"],
    project_ids: [projectId],
    lifetime_minutes: 20,
  }),
});

const invitation = lifeOf({
  name: "an invitation",
  path: "/v1/invitations",
  given: () => ({
    email: "grace@example.com",
    grants: [{ role: "viewer", project_ids: null, extra_scopes: [] }],
  }),
  others: ({ projectId }) => ({
    email: "alan@example.com",
    grants: [{ role: "deployer", project_ids: [projectId], extra_scopes: [] }],
    expires_in_days: 3,
  }),
  importedBy: ({ email }) => ({ email }),
  shownOnce: ["link", "is_mailed"],
  hidden: { expires_in_days: "expires_at" },
});

const forPeople = { only_recoveries: false };

/** The settings of each kind of webhook: what it needs, and other values. */
const kinds = {
  standard: [{}, { headers: { Authorization: "Bearer of-the-receiver" } }],
  slack: [{}, forPeople],
  discord: [{}, forPeople],
  teams: [{}, forPeople],
  ntfy: [{ topic: "first" }, { topic: "second", token: "tk_of-the-topic", ...forPeople }],
  email: [{ to: "ada@example.com" }, { to: "grace@example.com", ...forPeople }],
  commit_status: [
    { forge: "gitea", token: "first-token-of-the-forge" },
    {
      api_url: "http://127.0.0.1:9/api",
      token: "second-token-of-the-forge",
      statuses: false,
      deployments: true,
      environment: "production",
    },
  ],
} satisfies Record<WebhookKind, readonly [Values, Values]>;

const webhooks = Object.entries(kinds).map(([kind, [needed, others]]) => {
  const takesUrl = kind !== "email" && kind !== "commit_status";
  const urlWith = (key: string) => (takesUrl ? { url: `http://127.0.0.1:9/a?key=${key}` } : {});
  return lifeOf({
    name: `a webhook of the kind ${kind}`,
    path: "/v1/webhooks",
    given: () => ({ kind, ...urlWith("first-key"), ...needed }),
    others: ({ projectId }) => ({
      name: "Receiver",
      events: ["project.*", "deployment.*"],
      project_ids: [projectId],
      enabled: false,
      ...urlWith("second-key"),
      ...others,
    }),
    importedBy: () => ({ kind }),
    shownOnce: ["secret"],
    hidden: { url: "url", headers: "headers", topic: "url", to: "url", token: null, enabled: "state" },
    secrets: ["url", "token"],
    // Its secrets are sent only to the address with which they were given.
    along: { url: ["topic", "token", "headers"], api_url: ["token"] },
    // What it sends meanwhile.
    follows: { api_url: ["url"], "*": ["pending", "held", "last_attempt", "failing_since"] },
    back: (name, first, given, all = {}) => {
      const { headers: _, ...shown } = all;
      if (name === null) return shown;
      if (name === "enabled") return { enabled: true };
      if (name === "headers") return { headers: {} };
      if (name === "token") return { token: given["token"] ?? null };
      return { [name]: given[name] ?? first[name] };
    },
  });
});

export const lives: readonly Life[] = [
  ...[server, project, token, freeze, hook, trustRule, invitation],
  ...webhooks,
];
