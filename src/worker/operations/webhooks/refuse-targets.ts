import { refuse } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";

type Addresses = {
  readonly url?: string | undefined;
  readonly api_url?: string | null | undefined;
  readonly to?: string | undefined;
};

/** Refuses settings with an address that must not be a target; null if there is none. */
export function refuseTargets(
  { targetProblem }: Pick<Context, "targetProblem">,
  settings: Addresses | object,
) {
  const { url, api_url: apiUrl, to }: Addresses = settings;
  const addresses = { url, api_url: apiUrl, to: to === undefined ? undefined : `mailto:${to}` };
  const errors = Object.entries(addresses).flatMap(([field, address]) => {
    const problem = typeof address === "string" ? targetProblem(address) : null;
    return problem === null ? [] : [{ pointer: `/${field}`, message: problem }];
  });
  const [first] = errors;
  return first === undefined ? null : refuse("invalid_request", first.message, errors);
}
