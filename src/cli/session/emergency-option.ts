import { givenFields } from "#cli/arguments/given-fields.ts";

/** The option with which a deployment passes freezes and approvals. */
export const emergencyOption = {
  emergency: {
    kind: "text",
    value: "REASON",
    help: "Pass freezes and approvals, for this reason. The token needs the scope deployments:emergency",
  },
} as const;

/** The field of the request. */
export function emergencyField({ emergency }: { readonly emergency: string | null }) {
  return givenFields({ emergency });
}
