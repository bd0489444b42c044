import * as z from "zod/mini";

import { listUpTo, textLike, textUpTo, wholeBetween, wholeFrom } from "#contract/bounds.ts";
import { MAX_BALANCERS } from "#contract/endpoints/projects/entry.ts";
import { MAX_SERVERS } from "#contract/endpoints/projects/servers.ts";
import { Alias, Domain, MAX_ALIASES } from "#contract/endpoints/projects/settings.ts";
import { ServerAddress } from "#contract/endpoints/servers/server-address.ts";
import { ProjectId, ServerId } from "#contract/ids.ts";
import { instead } from "#contract/lib/zod-parts.ts";

// What servers need to know of each other to serve a project together, and what their agents report for it.

/** As many as projects of an account. */
const MAX_FLEET_PROJECTS = 1000;
/** As many as servers of an account. */
const MAX_FLEET_SERVERS = 1000;
/** Characters of a root certificate in PEM. Caddy's own has about 700. */
const MAX_ROOT = 4000;

const Port = wholeBetween(1, 65_535);
/** Caddy would replace what is in braces, such as by the content of a file. */
const Host = textLike(/^[^\s{}]{0,253}$/, "must be an address or a host name");

/**
 * How the other servers reach the ingress of this one, from its hello and status. `port`: of the listener that takes requests
 * of balancers only, with client certificates. `http_port`: where ACME challenges arrive. `root`: the certificate of its own
 * authority, in PEM, which signs what this ingress shows at `port` and, as a balancer, to members. `address`: of the
 * interface of the default route; null: unknown.
 */
export const FleetReport = z.strictObject({
  port: Port,
  http_port: Port,
  root: textUpTo(MAX_ROOT),
  address: instead(z.nullable(ServerAddress), null),
});
export type FleetReport = z.infer<typeof FleetReport>;

/** The servers that a balancer has taken out of a project, because they do not answer. Empty: none. */
export const BalanceReport = z.strictObject({
  project_id: ProjectId,
  out: listUpTo(ServerId, MAX_SERVERS),
});
export const BalanceReports = listUpTo(BalanceReport, MAX_FLEET_PROJECTS);
export type BalanceReports = z.infer<typeof BalanceReports>;

/**
 * A server that another field of a `FleetState` names. `ip`: where visitors reach it, and so ACME challenges at `http_port`.
 * `address`: where balancers reach its `port`; null: unknown, and it is no member.
 */
export const FleetServer = z.strictObject({
  id: ServerId,
  ip: Host,
  address: z.nullable(ServerAddress),
  port: Port,
  http_port: Port,
  root: textUpTo(MAX_ROOT),
});
export type FleetServer = z.infer<typeof FleetServer>;

/**
 * A project in front of which this server stands: it terminates TLS for the names and sends requests to the members, in this
 * order. It redirects aliases itself. A member can be this server. Empty `members`: no server can take requests yet.
 * A member may have no release of the project yet, or be about to lose it: it says so when it is asked whether it is ready
 * for the project, so that a deployment needs no message.
 * `peers`: the other balancers, which get the ACME challenges that this server does not know.
 */
export const BalancedProject = z.strictObject({
  project_id: ProjectId,
  domain: Domain,
  aliases: listUpTo(Alias, MAX_ALIASES),
  sticky: z.boolean(),
  members: listUpTo(ServerId, MAX_SERVERS),
  peers: z._default(listUpTo(ServerId, MAX_BALANCERS), []),
});
export type BalancedProject = z.infer<typeof BalancedProject>;

/**
 * A project that this server serves together with others, or behind another balancer.
 *
 * `each`: visitors reach each server. `peers`: the others, which get the ACME challenges that this server does not know.
 * `balancer`: visitors reach `balancers`. This server takes requests for `hosts` at its port for balancers only, also for
 * hosts that the live release does not have yet.
 * `own`: a load balancer that is not Gantry's terminates TLS, so no certificates are issued.
 */
export const ServedProject = z.discriminatedUnion("entry", [
  z.strictObject({
    entry: z.literal("each"),
    project_id: ProjectId,
    peers: listUpTo(ServerId, MAX_SERVERS),
  }),
  z.strictObject({
    entry: z.literal("balancer"),
    project_id: ProjectId,
    hosts: listUpTo(Domain, MAX_ALIASES + 1),
    balancers: listUpTo(ServerId, MAX_BALANCERS),
  }),
  z.strictObject({ entry: z.literal("own"), project_id: ProjectId }),
]);
export type ServedProject = z.infer<typeof ServedProject>;

/**
 * Everything that a server must know to serve projects with others: the whole state, which replaces the state before. A project
 * that is in neither list is served by this server alone. A greater `revision` is newer, so a message that arrives late or
 * twice changes nothing.
 */
export const FleetState = z.strictObject({
  revision: wholeFrom(1),
  servers: listUpTo(FleetServer, MAX_FLEET_SERVERS),
  balances: listUpTo(BalancedProject, MAX_FLEET_PROJECTS),
  serves: listUpTo(ServedProject, MAX_FLEET_PROJECTS),
});
export type FleetState = z.infer<typeof FleetState>;
