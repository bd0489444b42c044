import {
  type ClaimForm,
  type TrustProvider,
  trustProviders,
} from "#contract/endpoints/trust-rules/providers.ts";
import { forbiddenJobScopes } from "#contract/endpoints/trust-rules/schemas.ts";
import { succeed } from "#contract/lib/result.ts";
import { allScopes } from "#contract/scopes.ts";
import type { Options, OptionSpecs } from "#cli/arguments/command-spec.ts";
import { type Result, stop } from "#cli/outcome.ts";

/** The scopes that a trust rule can give. */
export const jobScopes = allScopes.filter((scope) => !forbiddenJobScopes.includes(scope));

/** The claims that the identity tokens of a trust rule must have. */
export const claimOptions = {
  branch: { kind: "text", short: "b", value: "NAME", help: "Only jobs of this branch" },
  tag: { kind: "text", value: "NAME", help: "Only jobs of this tag" },
  environment: { kind: "text", value: "NAME", help: "Only jobs that deploy to this environment" },
  claim: { kind: "list", value: "NAME=VALUE", help: "Only identity tokens with this claim" },
} as const satisfies OptionSpecs;

/** The claims of the options. */
export function readClaims(
  provider: TrustProvider,
  { branch, tag, environment, claim }: Options<typeof claimOptions>,
): Result<Record<string, string[]>> {
  const spec = trustProviders[provider];
  const claims = new Map<string, string[]>();
  const add = (name: string, value: string) => claims.set(name, [...(claims.get(name) ?? []), value]);
  const named: readonly (readonly [string, ClaimForm | null, string | null])[] = [
    ["--branch", spec.branch, branch],
    ["--tag", spec.tag, tag],
    ["--environment", spec.environment, environment],
  ];
  for (const [option, form, name] of named) {
    if (name === null) continue;
    if (form === null)
      return stop("usage", `Tokens of this provider have no claim for ${option}. Pass --claim NAME=VALUE.`);
    add(form.claim, `${form.prefix}${name}`);
  }
  for (const text of claim) {
    const at = text.indexOf("=");
    if (at < 1) return stop("usage", `--claim ${text} must be NAME=VALUE, such as event_name=push.`);
    add(text.slice(0, at), text.slice(at + 1));
  }
  return succeed(Object.fromEntries(claims));
}
