import * as z from "zod";

import type { Deployment, DeploymentStatus } from "#contract/endpoints/deployments/schemas.ts";
import { Events } from "#contract/endpoints/events/endpoints.ts";

import type { Installation } from "../installation.ts";
import type { Site } from "../site.ts";

/** What the events of a deployment end with. A deployment that was live may since be superseded. */
const lastEvents: Readonly<Record<Exclude<DeploymentStatus, "building">, readonly string[]>> = {
  live: ["deployment.live"],
  superseded: ["deployment.live", "deployment.superseded"],
  failed: ["deployment.failed"],
  canceled: ["deployment.canceled"],
};

const OfDeployment = z.object({ sequence: z.int(), deployment: z.object({ id: z.string() }).optional() });

/**
 * Checks that each deployment has the events that its status says, each once, that their numbers rise, and that the
 * webhook has received all of them.
 */
export async function eventViolations(
  { api, received }: Pick<Installation, "api" | "received">,
  { projectId }: Site,
  listed: readonly Deployment[],
): Promise<string[]> {
  const violations: string[] = [];
  const typesOf = new Map<string, string[]>();
  let last = 0;
  for (const { type, data } of await readEvents({ api }, projectId)) {
    const { sequence, deployment } = OfDeployment.parse(data);
    if (sequence <= last) violations.push(`event ${sequence} follows ${last}`);
    last = sequence;
    if (!received.has(sequence)) violations.push(`the webhook has not received event ${sequence}, ${type}`);
    if (deployment !== undefined) typesOf.set(deployment.id, [...(typesOf.get(deployment.id) ?? []), type]);
  }
  for (const { id, version, status } of listed) {
    if (status === "building") continue;
    const types = typesOf.get(id) ?? [];
    // Each pause between two batches is one.
    const once = types.filter((type) => type !== "deployment.batch");
    const repeated = once.filter((type, index) => once.indexOf(type) !== index);
    if (repeated.length > 0) violations.push(`v${version} has ${repeated.join(" and ")} twice`);
    if (types[0] !== "deployment.started") violations.push(`v${version} begins with ${types[0]}`);
    const ends = types.filter((type) => Object.values(lastEvents).flat().includes(type));
    if (ends.join() !== lastEvents[status].join())
      violations.push(`v${version} is ${status}, and its events say ${ends.join(" and ")}`);
  }
  return violations;
}

/** All events of a project, oldest first. */
async function readEvents({ api }: Pick<Installation, "api">, projectId: string) {
  const all = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const from = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await api.call("GET", `/v1/events?project_id=${projectId}&limit=100${from}`);
    const page = Events.parse(answer.json);
    all.push(...page.events);
    cursor = page.next_cursor;
  }
  return all.toReversed();
}
