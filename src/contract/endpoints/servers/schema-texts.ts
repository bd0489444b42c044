import { choice, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";
import { nextCursor } from "#contract/reference/schemas/shared.ts";
import {
  AgentProblem,
  CreateServerInput,
  Disk,
  Enrollment,
  Server,
  ServerCreated,
  ServerRow,
  ServerRows,
  ServerStatus,
  UptimeDay,
  UpdateServerInput,
} from "#contract/endpoints/servers/schemas.ts";

const rowFields = {
  id: "The server's id.",
  name: "What people call it, on one line.",
  ip: "Its IPv4 address, for people to see.",
  status: "How it is.",
  apps: "How many projects are on it.",
  uptime: "The share of the last 30 days, or since it was enrolled, in which its agent was connected.",
};

const serverFields = {
  ...rowFields,
  created_at: "When it was registered.",
  enrolled_at: "When its agent was enrolled first.",
  last_seen_at: "When its agent was last heard of.",
  agent_version: "The version of its agent.",
  agent_problem: "Why its agent is not let in; `null` where nothing is wrong.",
  disk: "The disk that its releases are on, as the agent last said.",
  uptime_days:
    "What `uptime` is made of: its last 30 days, or those since it was enrolled, the oldest first.",
};

export const serverSchemas = {
  ServerStatus: choice(ServerStatus, "How a server is.", {
    pending: "no agent has connected yet",
    healthy: "its agent is connected",
    degraded: "its agent is connected, and the disk nearly full",
    offline: "its agent is not connected; what it serves goes on being served",
  }),
  ServerRow: object(ServerRow, "A server as the list shows it.", rowFields),
  ServerRows: object(ServerRows, "A page of servers.", {
    servers: "The page's servers, the newest first.",
    next_cursor: nextCursor,
  }),
  Server: object(Server, "A server with what its agent last said.", serverFields),
  ServerCreated: object(ServerCreated, "A new server, and how its agent joins.", {
    ...serverFields,
    enrollment: "How its agent joins.",
  }),
  AgentProblem: object(AgentProblem, "Why a server's agent is not let in.", {
    code: "`protocol_mismatch`: it speaks another version of the protocol than this installation.",
    message: "What to do about it.",
    at: "When it last tried.",
  }),
  UptimeDay: object(UptimeDay, "How long a server was connected on one day.", {
    date: "The day, in UTC. That of the enrolment counts from then on, and today until now.",
    uptime: "The share of the day in which its agent was connected.",
  }),
  Disk: object(Disk, "Room on a disk.", { total_bytes: "All of it.", free_bytes: "What is free." }),
  Enrollment: object(Enrollment, "How an agent joins.", {
    token: "The enrolment token. It works once, and is shown only here.",
    expires_at: "Until when it works: an hour.",
    command:
      "What to run on the server, as root: it installs the agent as a service that joins with this token.",
  }),
  CreateServerInput: object(CreateServerInput, "A new server.", { name: rowFields.name, ip: rowFields.ip }),
  UpdateServerInput: object(UpdateServerInput, "What changes in a server; what is left out stays as it is.", {
    name: rowFields.name,
    ip: rowFields.ip,
  }),
} satisfies Record<string, SchemaText>;
