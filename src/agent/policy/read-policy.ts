import * as z from "zod/mini";

import { Policy } from "#agent/policy/policy.ts";
import { readTrusted } from "#agent/policy/read-trusted.ts";
import { messageOf } from "#contract/lib/message-of.ts";

import "#contract/issue-messages.ts";

export type PolicyRead =
  | { readonly kind: "read"; readonly policy: Policy }
  /** `reason`: a sentence for the log or the terminal. */
  | { readonly kind: "refused"; readonly reason: string };

/** Reads a policy. Refuses a policy that others could have written. */
export async function readPolicy(path: string): Promise<PolicyRead> {
  const refuse = (reason: string): PolicyRead => ({
    kind: "refused",
    reason: `the policy ${path} ${reason}`,
  });
  const text = await readTrusted(path);
  if (!text.ok) return refuse(text.reason);
  let value: unknown;
  try {
    value = JSON.parse(text.value);
  } catch (error) {
    return refuse(`is not JSON: ${messageOf(error)}`);
  }
  const parsed = Policy.safeParse(value);
  return parsed.success
    ? { kind: "read", policy: parsed.data }
    : refuse(`is wrong:\n${z.prettifyError(parsed.error)}`);
}
