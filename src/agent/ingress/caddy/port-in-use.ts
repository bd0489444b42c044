import type { IngressSettings } from "#agent/ingress/settings.ts";

/** What to do if Caddy has refused a part of its configuration because another program listens on a port, as sentences; null: it has not. */
export function describePortInUse(reason: string, { fleet_port }: Pick<IngressSettings, "fleet_port">) {
  const [, port] = /listen tcp \S*:(\d+): bind: address already in use/.exec(reason) ?? [];
  if (port === undefined) return null;
  if (port !== String(fleet_port)) return `Another program uses port ${port}. Stop it.`;
  return `Another program uses port ${port}, where balancers reach this server. Stop it, or set another fleet_port in /etc/gantry/ingress.json and restart the agent.`;
}
