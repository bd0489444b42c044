import * as z from "zod/mini";

/**
 * Whether deployments wait for an approval. `required`: by any token with the scope. `by_another`: not by who started
 * the deployment.
 */
export const ApprovalRule = z.enum(["none", "required", "by_another"]);
export type ApprovalRule = z.infer<typeof ApprovalRule>;
