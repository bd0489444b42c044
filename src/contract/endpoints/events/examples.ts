import {
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
import type * as z from "zod/mini";

import { type Event, type EventType, withoutRecordFields } from "#contract/endpoints/events/schemas.ts";
import { example, liveDeployment } from "#contract/reference/examples.ts";

type EventExample = z.input<typeof Event>;

const actor = { type: "token", id: example.token, name: "CI of shop" } as const;
const member = { id: example.member, name: "Grace Hopper" } as const;
const system = { type: "system", id: null, name: "Gantry" } as const;
const common = { id: example.event, timestamp: "2026-11-20T09:14:44.155Z" } as const;
const numbered = { sequence: 1841, actor } as const;

const shop = { id: example.project, name: "shop" } as const;
const project = {
  ...shop,
  repository: "git@github.com:acme/shop.git",
  url: "https://shop.example.com",
} as const;

const deployment = { ...withoutRecordFields(liveDeployment), pushed_sha: null, hold: null };
const building = {
  ...deployment,
  status: "building",
  stage: "queued",
  duration: 0,
  started_at: null,
  finished_at: null,
} as const;
const failed = {
  ...deployment,
  status: "failed",
  failure: {
    code: "build_failed",
    message: "The build command ended with exit code 2.",
    stage: "build",
    failing_line: "src/cart.ts(12,7): error TS2304: Cannot find name 'price'.",
  },
} as const;

const deploymentOf = (type: (typeof deploymentEventTypes)[number]) => {
  switch (type) {
    case "deployment.started":
    case "deployment.held":
    case "deployment.approved":
      return building;
    case "deployment.emergency":
      return { ...building, emergency: "Checkout is down" } as const;
    case "deployment.building":
    case "deployment.batch":
      return { ...building, stage: "build", started_at: deployment.started_at } as const;
    case "deployment.live":
    case "deployment.deleted":
      return deployment;
    case "deployment.superseded":
      return { ...deployment, status: "superseded" } as const;
    case "deployment.failed":
      return failed;
    case "deployment.canceled":
      return { ...deployment, status: "canceled" } as const;
  }
};

const server = { id: example.server, name: "web-1", status: "healthy" } as const;
const webhook = { id: example.webhook, name: "Deployments", kind: "standard" } as const;
const hook = { id: example.hook, forge: "github", repository: project.repository } as const;

const troubled = {
  sequence: numbered.sequence,
  actor: system,
  project: shop,
  server: null,
  live: { id: example.deployment, version: 12 },
  since: common.timestamp,
} as const;
const failedRun = {
  number: 17,
  status: "exited",
  exit_code: 1,
  signal: null,
  message: "ended with exit code 1",
  failed_at: "2026-11-20T09:14:41.020Z",
  last_line: "pg_dump: error: connection to server failed",
} as const;

/** An event of each type. */
export const eventExamples: readonly EventExample[] = [
  ...deploymentEventTypes.map((type): EventExample => ({
    ...common,
    type,
    data: {
      ...numbered,
      project,
      deployment: deploymentOf(type),
      replaced_by: type === "deployment.superseded" ? { id: example.deployment, version: 13 } : null,
    },
  })),
  ...serverEventTypes.map((type): EventExample => ({
    ...common,
    type,
    data: { ...numbered, server, changed: [] },
  })),
  ...catchUpEventTypes.map((type): EventExample => ({
    ...common,
    type,
    data: {
      ...{ sequence: numbered.sequence, actor: system, project: shop },
      server: { id: example.server, name: "web-2" },
      live: { id: example.deployment, version: 12 },
    },
  })),
  ...projectEventTypes.map((type): EventExample => ({
    ...common,
    type,
    data: { ...numbered, project: shop, changed: [] },
  })),
  {
    ...common,
    type: "variables.updated",
    data: { ...numbered, project: shop, revision: 4, set: ["DATABASE_URL"], removed: [] },
  },
  ...processEventTypes.map((type): EventExample => {
    const isLooping = type === "process.crash_looping";
    return {
      ...common,
      type,
      data: {
        ...troubled,
        page: `/app/projects/${shop.id}/processes`,
        process: { name: "worker", running: isLooping ? 0 : 1, desired: 1 },
        ends: isLooping ? 5 : null,
        seconds: isLooping ? 21 : null,
        exit_code: isLooping ? 1 : null,
        signal: null,
        last_exit: isLooping ? "ended with exit code 1" : null,
        last_line: isLooping ? "Error: connect ECONNREFUSED 127.0.0.1:6379" : null,
        reason: isLooping ? null : "working",
      },
    };
  }),
  ...cronEventTypes.map((type): EventExample => {
    const isFailed = type === "cron.failed";
    return {
      ...common,
      type,
      data: {
        ...troubled,
        page: `/app/projects/${shop.id}/commands`,
        job: { name: "backup" },
        run: isFailed ? failedRun : null,
        reason: isFailed ? null : "working",
      },
    };
  }),
  ...certificateEventTypes.map((type): EventExample => {
    const isExpiring = type === "certificate.expiring";
    return {
      ...common,
      type,
      data: {
        ...troubled,
        page: `/app/projects/${shop.id}/settings/domains`,
        certificate: {
          domain: "shop.example.com",
          expires_at: isExpiring ? "2026-11-25T08:10:00.000Z" : "2027-02-18T08:10:00.000Z",
        },
        problem: isExpiring
          ? "The certificate of shop.example.com expires soon, and could not be renewed. The issuer's answer: journalctl -u gantry-ingress"
          : null,
      },
    };
  }),
  ...tokenEventTypes.map((type): EventExample => ({
    ...common,
    type,
    data: {
      ...numbered,
      token: { id: example.token, name: "CI of shop", scopes: ["deployments:write"] },
    },
  })),
  ...trustRuleEventTypes.map((type): EventExample => ({
    ...common,
    type,
    data: {
      ...numbered,
      trust_rule: {
        id: example.trustRule,
        name: "shop, main",
        provider: "github",
        issuer: "https://token.actions.githubusercontent.com",
        subject: "1296269",
      },
      changed: type === "trust_rule.updated" ? ["claims"] : [],
    },
  })),
  ...memberEventTypes.map((type): EventExample => ({
    ...common,
    type,
    data: { ...numbered, member, changed: type === "member.updated" ? ["grants"] : [] },
  })),
  ...invitationEventTypes.map((type): EventExample => ({
    ...common,
    type,
    data: { ...numbered, invitation: { id: example.invitation, email: "grace@example.com" } },
  })),
  ...passkeyEventTypes.map((type): EventExample => ({
    ...common,
    type,
    data: { ...numbered, member, passkey: { id: example.passkey, name: "Laptop" } },
  })),
  ...connectionEventTypes.map((type): EventExample => ({
    ...common,
    type,
    data: {
      ...numbered,
      connection: { id: example.connection, name: "Okta", issuer: "https://acme.okta.com" },
      changed: type === "connection.updated" ? ["group_grants"] : [],
    },
  })),
  ...identityEventTypes.map((type): EventExample => ({
    ...common,
    type,
    data: {
      ...numbered,
      member,
      identity: { id: example.identity, connection: "Okta", name: "grace@example.com" },
    },
  })),
  ...webhookEventTypes.map((type): EventExample => ({
    ...common,
    type,
    data: {
      ...numbered,
      webhook,
      reason: type === "webhook.disabled" ? "Every delivery of the last 5 days has failed." : null,
    },
  })),
  ...hookEventTypes.map((type): EventExample => ({
    ...common,
    type,
    data: { ...numbered, hook, reason: type === "hook.refused" ? "The signature is wrong." : null },
  })),
  ...freezeEventTypes.map((type): EventExample => ({
    ...common,
    type,
    data: { ...numbered, project: shop, freeze: { id: example.freeze, name: "Weekend" } },
  })),
  {
    ...common,
    type: "account.updated",
    data: { ...numbered, account: { id: example.account }, changed: ["log_retention_days"] },
  },
  {
    ...common,
    type: "account.link_used",
    data: { ...numbered, account: { id: example.account }, changed: [] },
  },
  {
    ...common,
    type: "audit.sealed",
    data: {
      sequence: numbered.sequence,
      actor: system,
      seal: {
        number: 212,
        last_entry: 5120,
        hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      },
    },
  },
];

/** The example of a type. */
export function exampleOf(type: EventType): EventExample {
  const found = eventExamples.find((one) => one.type === type);
  if (found === undefined) throw new Error(`There is no example of ${type}.`);
  return found;
}
