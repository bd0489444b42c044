import * as z from "zod/mini";

import { listUpTo, numberFrom, textBetween, textUpTo, textLike, wholeFrom } from "#contract/bounds.ts";
import { ProjectId, ServerId } from "#contract/ids.ts";
import { NextCursor } from "#contract/paging.ts";
import { Region } from "#contract/regions.ts";
import { DisplayName } from "#contract/endpoints/projects/settings.ts";
import { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import { GivenServerAddress } from "#contract/endpoints/servers/server-address.ts";
import { growing, unknownOf } from "#contract/growing.ts";

/** `pending`: no agent has connected yet. `degraded`: connected, with the disk nearly full, or with an ingress problem. */
export const ServerStatus = z.enum(["pending", "healthy", "degraded", "offline"]);
export type ServerStatus = z.infer<typeof ServerStatus>;

export const CreateServerInput = z.strictObject({
  name: DisplayName,
  ip: z.ipv4("must be an IPv4 address in dotted notation"),
  /** Null: where its agent connects from. */
  region: z.optional(z.nullable(Region)),
  /** Null: what its agent reports. */
  address: z.optional(z.nullable(GivenServerAddress)),
});
export type CreateServerInput = z.infer<typeof CreateServerInput>;

export const UpdateServerInput = z.partial(CreateServerInput);
export type UpdateServerInput = z.infer<typeof UpdateServerInput>;

/** A row of the server list. Its fields are fixed by agreement: do not add any. `uptime` is a percentage such as "99.98%". */
export const ServerRow = z.strictObject({
  id: ServerId,
  name: z.string(),
  ip: z.string(),
  status: growing(ServerStatus),
  apps: wholeFrom(0),
  uptime: z.string(),
});
export type ServerRow = z.infer<typeof ServerRow>;

export const MAX_IMAGE_REPORTS = 100;

/** What the images of a project take on a server. */
export const ProjectImages = z.strictObject({ project_id: ProjectId, bytes: numberFrom(0) });
export type ProjectImages = z.infer<typeof ProjectImages>;

/** `images`: of the projects that have any, the largest first. */
export const Disk = z.strictObject({
  total_bytes: numberFrom(0),
  free_bytes: numberFrom(0),
  cache_bytes: z.optional(numberFrom(0)),
  image_bytes: z.optional(numberFrom(0)),
  images: z.optional(listUpTo(ProjectImages, MAX_IMAGE_REPORTS)),
});
export type Disk = z.infer<typeof Disk>;

/** Whether each project of a server runs as its own user, or all share the agent's. */
export const IsolationLevel = z.enum(["projects", "none"]);
export type IsolationLevel = z.infer<typeof IsolationLevel>;

/**
 * How far the policy of a server lets the control plane run commands of its own: `open`: all that a project's settings
 * have. `strict`: none.
 */
export const PolicyLevel = z.enum(["open", "limited", "strict"]);
export type PolicyLevel = z.infer<typeof PolicyLevel>;

export const MAX_TOOL_VERSION = 50;

/** A program of a server that builds use. `version`: null if it does not print one. */
export const ToolReport = z.strictObject({
  name: textLike(/^[a-z][a-z0-9_-]{0,29}$/),
  version: z.nullable(textBetween(1, MAX_TOOL_VERSION)),
});
export type ToolReport = z.infer<typeof ToolReport>;

export const MAX_REPORTED_TOOLS = 50;

/** The maximum length of what a server lacks for containers. */
export const MAX_CONTAINERS_PROBLEM = 500;

/**
 * What makes containers on a server. Without it, `problem` is why nothing does and what to do, in sentences. `image_signatures`: what
 * the policy requires of images; absent: nothing.
 */
export const Containers = growing(
  z.discriminatedUnion("engine", [
    z.strictObject({
      engine: z.literal("podman"),
      version: textBetween(1, MAX_TOOL_VERSION),
      image_signatures: z.optional(z.enum(["some", "all"])),
    }),
    z.strictObject({ engine: z.literal(null), problem: textUpTo(MAX_CONTAINERS_PROBLEM) }),
  ]),
  z.object({ engine: unknownOf(["podman"]) }),
);
export type Containers = z.infer<typeof Containers>;

/** Why the control plane refuses an agent that has a valid credential. `at`: when the agent last tried to connect. */
export const AgentProblem = z.strictObject({
  code: growing(z.enum(["protocol_mismatch"])),
  message: z.string(),
  at: z.string(),
});
export type AgentProblem = z.infer<typeof AgentProblem>;

/** `date`: a UTC day, such as "2026-11-20". `uptime`: the share of the day in which the agent was connected. */
export const UptimeDay = z.strictObject({ date: z.string(), uptime: z.string() });
export type UptimeDay = z.infer<typeof UptimeDay>;

/** Uptime covers the last 30 UTC days, including today. */
export const MAX_UPTIME_DAYS = 30;

export const Server = z.extend(ServerRow, {
  created_at: z.string(),
  enrolled_at: z.nullable(z.string()),
  last_seen_at: z.nullable(z.string()),
  agent_version: z.nullable(z.string()),
  agent_problem: z.nullable(AgentProblem),
  disk: z.nullable(Disk),
  isolation: z.nullable(growing(IsolationLevel)),
  uptime_days: listUpTo(UptimeDay, MAX_UPTIME_DAYS),
  seal_key: z.nullable(SealKey),
  /** Null: the agent does not report it. */
  policy: z.nullable(growing(PolicyLevel)),
  /** Null: the agent does not report them. */
  tools: z.nullable(listUpTo(ToolReport, MAX_REPORTED_TOOLS)),
  ingress_problem: z.nullable(z.string()),
  /** Null: `detected_region` applies. */
  region: z.nullable(growing(Region)),
  /** Where its agent connected from; null: unknown. */
  detected_region: z.nullable(growing(Region)),
  /** When an agent that was running lost its link to another one with the same credential, for a day. */
  taken_over_at: z.nullable(z.string()),
  /** Null: it is not drained. */
  draining_since: z.nullable(z.string()),
  /** Null: `detected_address` applies. */
  address: z._default(z.nullable(z.string()), null),
  /** From its agent; null: unknown. */
  detected_address: z._default(z.nullable(z.string()), null),
  /** Null: the agent does not report it. */
  containers: z._default(z.nullable(Containers), null),
});
export type Server = z.infer<typeof Server>;

/** How to enrol an agent: a token that works once until it expires, and the command that uses it. */
export const Enrollment = z.strictObject({
  token: z.string(),
  expires_at: z.string(),
  command: z.string(),
});
export type Enrollment = z.infer<typeof Enrollment>;

export const ServerCreated = z.extend(Server, { enrollment: Enrollment });
export type ServerCreated = z.infer<typeof ServerCreated>;

export const ServerRows = z.strictObject({ servers: z.array(ServerRow), next_cursor: NextCursor });
export type ServerRows = z.infer<typeof ServerRows>;
