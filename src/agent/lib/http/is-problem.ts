import { parseJson } from "#contract/parse-json.ts";
import { Problem } from "#contract/problems.ts";
import { parseKnown } from "#contract/tolerant.ts";

/** Whether a refusal's body has the control plane's own form, and is not a page of a proxy or a firewall before it. */
export function isProblem(body: string): boolean {
  return parseKnown(Problem, parseJson(body)).success;
}
