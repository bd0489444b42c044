import { parseJson } from "#contract/parse-json.ts";
import { Problem } from "#contract/problems.ts";
import { parseKnown } from "#contract/tolerant.ts";

/** Whether an error body is a problem of the control plane, not a page of a proxy or a firewall in front of it. */
export function isProblem(body: string): boolean {
  return parseKnown(Problem, parseJson(body)).success;
}
