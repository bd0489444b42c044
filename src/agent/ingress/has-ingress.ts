import type { AgentContext } from "#agent/context/context.ts";

/** Whether this server has a part of Gantry's that leads visitors to projects. The site server of `npm start` is one too. */
export function hasIngress({ ingress, sites }: Pick<AgentContext, "ingress" | "sites">): boolean {
  return ingress.kind !== "none" || sites.kind !== "none";
}

/** Other web servers find static files by `current`, but not the ports of instances, which change. */
const APPS_WITHOUT_INGRESS =
  "The server has no ingress, so visitors do not reach its apps. To add one, run the install command with --ingress.";

/** Why the ingress as a whole does not lead visitors to this server's projects, or to its apps; `null` if it does. */
export function ingressProblemOf(
  context: Pick<AgentContext, "ingress" | "sites">,
  hasApps: boolean,
): string | null {
  return context.ingress.problem() ?? (hasApps && !hasIngress(context) ? APPS_WITHOUT_INGRESS : null);
}
