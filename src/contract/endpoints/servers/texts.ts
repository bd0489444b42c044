import { DrainSet } from "#contract/endpoints/servers/drain.ts";
import * as schemas from "#contract/endpoints/servers/schemas.ts";
import { Region } from "#contract/regions.ts";
import { example, secrets } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { choice, nextCursor, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

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
  agent_version: "0.2.0",
  agent_problem: null,
  disk: {
    ...{ total_bytes: 80_000_000_000, free_bytes: 51_200_000_000 },
    ...{ cache_bytes: 412_000_000, image_bytes: 1_340_000_000 },
    images: [{ project_id: example.project, bytes: 1_340_000_000 }],
  },
  isolation: "projects",
  policy: "strict",
  uptime_days: [
    { date: "2026-11-18", uptime: "100.00%" },
    { date: "2026-11-19", uptime: "99.61%" },
    { date: "2026-11-20", uptime: "100.00%" },
  ],
  seal_key: { public_key: example.publicKey, fingerprint: example.fingerprint },
  tools: [
    { name: "node", version: "24.11.1" },
    { name: "npm", version: "11.6.2" },
    { name: "php", version: "8.4.11" },
  ],
  ingress_problem: null,
  region: null,
  detected_region: "weur",
  taken_over_at: null,
  draining_since: null,
  address: null,
  detected_address: "10.0.0.11",
  containers: { engine: "podman", version: "5.4.2" },
} as const;

const enrollment = {
  token: secrets.enrollment,
  expires_at: "2026-11-02T09:00:00.000Z",
  command: `curl -fsSL https://gantry.example.com/install.sh | GANTRY_TOKEN=${secrets.enrollment} sh`,
} as const;

export const serverTexts = {
  listServers: {
    summary: "List servers, newest first",
    description: prose`
      Returns the servers of the account, newest first. Without \`limit\`, the response contains all of them: an account
      can have 1,000 servers.`,
    answer: { servers: [row], next_cursor: null },
  },
  createServer: {
    summary: "Register a server",
    description: prose`
      Registers a server. The response has an enrolment token, which works once within an hour, and a command that uses
      it. Run the command as root on the server: it installs the agent as a service. The server is \`pending\` until
      the agent connects.

      The name must be unique in the account (409 \`name_taken\`). \`ip\` is only displayed. If the token has expired,
      create another with \`POST /v1/servers/{server_id}/enrollment\`.`,
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
      isolation: null,
      policy: null,
      uptime_days: [],
      seal_key: null,
      tools: null,
      ingress_problem: null,
      detected_region: null,
      containers: null,
      enrollment,
    },
    location: `/v1/servers/${example.server}`,
  },
  getServer: {
    summary: "Get a server",
    description: prose`
      Returns one server, with the agent's version, the disk space from the agent's last report, and the uptime of each
      day. \`last_seen_at\` is updated while the agent is connected.`,
    answer: server,
  },
  updateServer: {
    summary: "Change a server",
    description: prose`
      Changes the name, the IP address, the region or the address of a server. Omitted fields keep their values. The name must be
      unique in the account (409 \`name_taken\`). What exists stays where it is: a region applies to projects that are
      deployed for the first time after the change. Balancers that send requests to the server use another \`address\` at once.
      The other servers of its projects pass on checks of an issuer of certificates to another \`ip\` at once, so that a machine
      there can get certificates for the domains of these projects.`,
    body: { name: "web-frankfurt" },
    answer: { ...server, name: "web-frankfurt" },
  },
  deleteServer: {
    summary: "Delete a server",
    description: prose`
      Deletes a server, revokes its agent's credential and closes the agent's connection. Nothing changes on the host:
      it continues to serve its sites.

      The response is 409 \`server_in_use\` while projects are on the server. It is also 409 while the server still
      serves a project that was moved but not yet deployed to its new server, and while it builds for a project or is a balancer of one. \`detail\`
      names these projects, as far as the token may read them. Move, deploy or delete them first.`,
  },
  createEnrollment: {
    summary: "Create an enrolment token",
    description: prose`
      Creates a new enrolment token for a server, if its earlier token has expired or you want to set up the agent again.
      Earlier enrolment tokens of the server stop working immediately. A connected agent keeps its credential until the
      new token is used. The enrolment token also stops working when the API token that created it expires or is
      revoked, or when the session that created it ends.`,
    body: {},
    answer: enrollment,
    location: null,
  },
  drainServer: {
    summary: "Drain a server",
    description: prose`
      Has the server ask load balancers for no more requests: its ready URL, \`/.well-known/gantry/ready\`, then answers
      503 instead of 200. Nothing else changes: the server answers all requests that it gets, its apps continue to run,
      and deployments work as usual. Use it before a reboot or an update, and wait until your balancer has noticed. It
      lasts until \`POST …/undrain\`, also across restarts of the server.

      The setting is stored, and the server applies it before the response. If the server cannot be reached,
      \`applied\` is \`false\`, and \`detail\` says why. A server that is not connected applies it when it connects again. A
      request that is sent twice changes nothing. The ready URL needs the Gantry ingress on the server.`,
    body: {},
    answer: { ...server, draining_since: "2026-11-20T09:15:00.000Z", applied: true, detail: null },
  },
  undrainServer: {
    summary: "End the draining of a server",
    description: prose`
      Has the ready URL of a server answer 200 again, so that load balancers send it requests. Does nothing if the server is
      not drained. \`applied\` and \`detail\` are as in \`POST …/drain\`.`,
    body: {},
    answer: { ...server, applied: true, detail: null },
  },
} as const satisfies Partial<OperationTexts>;

const shownFields = {
  name: "A name for people, on one line.",
  ip: "The server's IPv4 address. Servers that share a project by DNS ask it for answers to certificate challenges; otherwise it is only displayed.",
};

const inputFields = {
  ...shownFields,
  region:
    "Where the objects of the server and its projects are created. `null`: where its agent connects from. Default: `null`.",
  address:
    "Where balancers of Gantry reach the server: an IP address, of a private network too, or a host name with a dot, without a port. `null`: `detected_address`. Default: `null`.",
};

const rowFields = {
  ...shownFields,
  id: "The server's id.",
  status: "The server's status.",
  apps: "The number of projects on the server, with the projects whose balancer it is.",
  uptime:
    "The share of the last 30 days, or of the time since its first connection, in which the agent was connected. While the control plane does not run, an agent that was connected before counts as connected.",
};

const serverFields = {
  ...rowFields,
  created_at: "When the server was registered.",
  enrolled_at: "When an agent was first enrolled.",
  last_seen_at: "When the agent last contacted the control plane.",
  agent_version: "The version of the agent.",
  agent_problem: "Why the control plane refuses the agent. `null` if there is no problem.",
  disk: "The disk that holds the releases, from the agent's last report.",
  isolation:
    "Whether the projects of the server are isolated from each other. `null`: its agent has not connected yet, or is older than this field.",
  policy:
    "How far the policy file of the server lets the control plane run commands of its own: `open`: all commands of projects' settings. `limited`: some. `strict`: none, because commands come from repositories, presets and the policy. `null`: its agent has not connected yet, or is older than this field.",
  uptime_days:
    "The uptime of each of the last 30 days, or of each day since its first connection, oldest first.",
  seal_key:
    "The key for which secrets are sealed. `null` until an agent that supports secrets has connected.",
  tools:
    "The programs for builds that the agent found on its PATH, at its last report. `null`: its agent has not connected yet, or is older than this field.",
  ingress_problem:
    "Why the server's ingress as a whole does not work, or that its apps have none, as a sentence. `null`: no problem is known. Problems of single projects are in the projects.",
  region:
    "Where the objects of the server and of its projects are created: near the server, so that messages between them are fast. `null`: in `detected_region`.",
  detected_region: "Where the agent connected from last. `null`: unknown.",
  taken_over_at:
    "When an agent that was running lost its connection to another one, in the last 24 hours: two machines have the server's credential, for example because a disk was copied. Only the agent that connected last gets deployments. `null`: no.",
  draining_since: "Since when the server is drained. `null`: it is not.",
  address:
    "Where balancers of Gantry reach the server. `null`: at `detected_address`. Only used for projects with the entry `balancer`.",
  detected_address:
    "The address that the server has in the network of its default route, as its agent reports it. `null`: unknown.",
  containers:
    "What builds projects with a Dockerfile and runs them in containers, at the agent's last report. `null`: its agent has not connected yet, or is older than this field.",
};

export const serverSchemas = {
  ServerStatus: choice(schemas.ServerStatus, "The status of a server.", {
    pending: "no agent has connected yet",
    healthy: "the agent is connected",
    degraded:
      "the agent is connected, and the disk is nearly full, or the ingress does not work or is missing for an app",
    offline: "the agent is not connected; the server continues to serve its sites",
  }),
  IsolationLevel: choice(
    schemas.IsolationLevel,
    "Whether the projects of a server are isolated from each other.",
    {
      projects: "the commands of each project run as its own user and cannot see other projects",
      none: "all projects share the agent's user, and each can read and change the others and the agent's credential",
    },
  ),
  Region: choice(Region, "Where an object of the control plane is created.", {
    wnam: "western North America",
    enam: "eastern North America",
    sam: "South America, for which Cloudflare chooses the nearest region that it has",
    weur: "western Europe",
    eeur: "eastern Europe",
    apac: "Asia and the Pacific",
    oc: "Oceania",
    afr: "Africa, as for `sam`",
    me: "the Middle East, as for `sam`",
  }),
  ServerRow: object(schemas.ServerRow, "A server in the list.", rowFields),
  ServerRows: object(schemas.ServerRows, "A page of servers.", {
    servers: "The servers of this page, newest first.",
    next_cursor: nextCursor,
  }),
  Server: object(schemas.Server, "A server, with data from its agent's last report.", serverFields),
  ServerCreated: object(schemas.ServerCreated, "A new server, with the command that enrols its agent.", {
    ...serverFields,
    enrollment: "How to enrol the agent.",
  }),
  DrainSet: object(DrainSet, "A server after a change of its draining.", {
    ...serverFields,
    applied: "Whether the server has applied the change.",
    detail: "Why the server has not applied the change. `null`: it has.",
  }),
  AgentProblem: object(schemas.AgentProblem, "Why the control plane refuses a server's agent.", {
    code: "`protocol_mismatch`: the agent uses another protocol version than this installation.",
    message: "How to fix the problem.",
    at: "When the agent last tried to connect.",
  }),
  UptimeDay: object(schemas.UptimeDay, "The uptime of a server on one day.", {
    date: "The day, in UTC. The day of the enrolment counts from the enrolment on, and today counts until now.",
    uptime: "The share of the day in which the agent was connected.",
  }),
  ToolReport: object(schemas.ToolReport, "A program of a server that builds can use.", {
    name: "The name of the program, such as `node`.",
    version: "Its version. `null`: it does not print one.",
  }),
  Containers: object(
    schemas.Containers,
    "What makes containers on a server. Without it, projects with a Dockerfile cannot be deployed there.",
    {
      engine: "`podman`, or `null`: nothing does.",
      version: "The version of podman.",
      image_signatures:
        "What the policy on the server requires of images. `some`: signatures of images that it names. `all`: it also refuses images that it does not name. Absent: nothing.",
      problem: "Why the server cannot make containers, and what to do about it.",
    },
  ),
  Disk: object(schemas.Disk, "Disk space.", {
    total_bytes: "The size of the disk.",
    free_bytes: "The free space.",
    cache_bytes:
      "What the caches of all projects take: kept dependencies, and what builds keep for the next one.",
    image_bytes:
      "What the container images of all projects take, with the layers that only the next build uses, after each project's last deployment.",
    images:
      "What the images of each project take, the most first: of at most 100 projects. A token that is limited to projects sees only these.",
  }),
  ProjectImages: object(schemas.ProjectImages, "What the images of a project take on a server.", {
    project_id: "The project.",
    bytes:
      "The size of its images, with the layers that only the next build uses, after its last deployment.",
  }),
  Enrollment: object(schemas.Enrollment, "How to enrol an agent.", {
    token: "The enrolment token. It works once, and is shown only in this response.",
    expires_at: "When the token expires, one hour after it was created.",
    command:
      "The command to run as root on the server. It installs the agent as a service and enrols it with the token.",
  }),
  CreateServerInput: object(schemas.CreateServerInput, "The server to register.", inputFields),
  UpdateServerInput: object(
    schemas.UpdateServerInput,
    "The fields to change. Omitted fields keep their values.",
    inputFields,
  ),
} satisfies Record<string, SchemaText>;
