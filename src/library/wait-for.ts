import type { GantryClient, OperationMethods } from "#library/client-types.ts";
import type { Deployment } from "#library/operations.ts";

/**
 * Waits until a deployment has ended. Its log tells when, so that a long deployment takes one connection and no polling.
 */
export async function waitFor(
  { getDeployment, followLog }: Pick<OperationMethods, "getDeployment"> & Pick<GantryClient, "followLog">,
  deployment: string | { readonly id: string },
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<Deployment> {
  const id = typeof deployment === "string" ? deployment : deployment.id;
  const until = signal === undefined ? {} : { signal };
  for (;;) {
    const current = await getDeployment({ params: { deployment_id: id }, ...until });
    if (current.status !== "building") return current;
    for await (const _ of followLog(id, until));
    signal?.throwIfAborted();
  }
}
