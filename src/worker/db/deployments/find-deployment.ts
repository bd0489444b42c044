import { eq } from "drizzle-orm";

import type { DeploymentId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deployments } from "#worker/db/schema.ts";
import { type DeploymentReading, deploymentFields } from "#worker/db/deployments/deployment-reading.ts";

/** The account's deployment with this id; null if there is none. */
export async function findDeployment(rows: AccountRows, id: DeploymentId): Promise<DeploymentReading | null> {
  const [deployment] = await rows.select(deploymentFields(rows), deployments, {
    where: eq(deployments.id, id),
    limit: 1,
  });
  return deployment ?? null;
}
