import { example, secrets } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";

const row = {
  id: example.server,
  name: "web-1",
  ip: "192.0.2.10",
  status: "healthy",
  apps: 3,
  uptime: "99.98%",
} as const;

const server = {
  ...row,
  created_at: "2026-11-02T08:00:00.000Z",
  enrolled_at: "2026-11-02T08:03:41.902Z",
  last_seen_at: "2026-11-20T09:15:01.118Z",
  agent_version: "0.1.0",
  agent_problem: null,
  disk: { total_bytes: 80_000_000_000, free_bytes: 51_200_000_000 },
  uptime_days: [
    { date: "2026-11-18", uptime: "100.00%" },
    { date: "2026-11-19", uptime: "99.61%" },
    { date: "2026-11-20", uptime: "100.00%" },
  ],
} as const;

const enrollment = {
  token: secrets.enrollment,
  expires_at: "2026-11-02T09:00:00.000Z",
  command: `curl -fsSL https://gantry.example.com/install.sh | GANTRY_TOKEN=${secrets.enrollment} sh`,
} as const;

export const serverTexts = {
  listServers: {
    tag: "Servers",
    description: prose`
      The account's servers, the newest first. Without \`limit\` all of them are in one answer: an account holds at
      most 1,000.`,
    body: null,
    answer: { servers: [row], next_cursor: null },
  },
  createServer: {
    tag: "Servers",
    description: prose`
      Registers a host and answers with how its agent joins: a token that works once, within an hour, and the command
      that uses it: run as root on the host, it installs the agent as a service. The server is \`pending\` until the agent connects.

      The name must be new in the account (409 \`name_taken\`). \`ip\` is shown and used for nothing else. If the hour
      has passed, \`POST /v1/servers/{server_id}/enrollment\` makes another token.`,
    body: { name: "web-1", ip: "192.0.2.10" },
    answer: {
      ...server,
      status: "pending",
      apps: 0,
      uptime: "0.00%",
      enrolled_at: null,
      last_seen_at: null,
      agent_version: null,
      disk: null,
      uptime_days: [],
      enrollment,
    },
    location: `/v1/servers/${example.server}`,
  },
  getServer: {
    tag: "Servers",
    description: prose`
      One server with what its agent last said: version, disk, when it was last heard of; and its uptime day by day. \`last_seen_at\` moves while
      the agent is connected.`,
    body: null,
    answer: server,
  },
  updateServer: {
    tag: "Servers",
    description: prose`
      Changes a server's name or address; what is left out stays as it is. The name must be new in the account (409
      \`name_taken\`).`,
    body: { name: "web-frankfurt" },
    answer: { ...server, name: "web-frankfurt" },
  },
  deleteServer: {
    tag: "Servers",
    description: prose`
      Removes a server. Its agent's credential stops working, and the link is closed; nothing is changed on the host
      itself, so what it serves goes on being served.

      While projects are on it, or a deployment is still live there because its project has not been deployed to its new
      server yet, it is 409 \`server_in_use\`: move, deploy or delete them first.`,
    body: null,
    answer: null,
  },
  createEnrollment: {
    tag: "Servers",
    description: prose`
      Makes a new enrolment token, for a server whose token has run out, or whose agent is set up anew. Earlier tokens
      of the server stop working at once. The credential of an agent that is connected goes on working until the new
      token is used. The enrolment token stops working with the token that made it: when that is revoked or expires,
      or when the session signs out.`,
    body: {},
    answer: enrollment,
    location: null,
  },
} as const satisfies Partial<OperationTexts>;
