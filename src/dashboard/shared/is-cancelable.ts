import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";

/** The stages before the activation permit. From the permit on, canceling is refused. */
const cancelable: ReadonlySet<Deployment["stage"]> = new Set(["queued", "fetch", "install", "build"]);

/** Whether a deployment can be canceled, as far as its stage shows. */
export function isCancelable({ status, stage }: Pick<Deployment, "status" | "stage">): boolean {
  return status === "building" && cancelable.has(stage);
}
