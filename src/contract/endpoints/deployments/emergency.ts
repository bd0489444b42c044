import * as z from "zod/mini";

import { textBetween } from "#contract/bounds.ts";

/** Why a deployment passes freezes and approvals. */
export const EmergencyReason = textBetween(1, 300).check(
  z.refine((reason) => reason === "" || reason.trim() !== "", "must say why the deployment cannot wait"),
);

/** The body of a request that starts a deployment and has no other fields. */
export const EmergencyInput = z.strictObject({ emergency: z.optional(EmergencyReason) });
export type EmergencyInput = z.infer<typeof EmergencyInput>;
