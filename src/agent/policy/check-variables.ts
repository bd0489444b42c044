import { loadsCode, type NamedVariable } from "#agent/policy/loader-variables.ts";
import type { Policy } from "#agent/policy/policy.ts";
import { policyFileOf, type PolicyRefusal, refusedBy } from "#agent/policy/refuse.ts";
import type { RunVariables } from "#contract/agent-order.ts";
import { isAccessToken } from "#contract/endpoints/variables/schemas.ts";

/**
 * Checks variables and secrets before anything runs with them; `null` when there are none. The tokens
 * of the repository and of registries are for no command.
 */
export function checkVariables(
  policy: Policy,
  variables: Pick<RunVariables, "plain" | "secrets"> | null | undefined,
): PolicyRefusal {
  const { variables: rule } = policy;
  if (rule === "any") return null;
  const secrets = (variables?.secrets ?? []).map(({ name }) => ({ name, value: null }));
  const refused = [...(variables?.plain ?? []), ...secrets].find(
    (one) => !isAccessToken(one.name) && !isVariableAllowed(rule, one),
  );
  if (refused === undefined) return null;
  const { name } = refused;
  const why = !loadsCode(refused)
    ? ""
    : `, because ${name === "PORT" ? "it is not a number" : "it can load code or choose a program"}`;
  const way =
    rule === "none"
      ? undefined
      : `Remove it from the project's variables, and write its value into the repository if the app needs it. Or the server's administrator allows it with "variables": ${allowedWith(rule, name)} in ${policyFileOf(policy)}`;
  return refusedBy(policy, "variables", `the variable ${name}${why}`, way);
}

function isVariableAllowed(rule: Exclude<Policy["variables"], "any">, variable: NamedVariable): boolean {
  if (rule === "none") return false;
  if (rule === "no_loaders") return !loadsCode(variable);
  return rule.includes(variable.name) || (rule.includes("no_loaders") && !loadsCode(variable));
}

function allowedWith(rule: Exclude<Policy["variables"], "any" | "none">, name: string): string {
  const names = rule === "no_loaders" ? [rule, name] : [...rule, name];
  return names.length > MAX_SHOWN_NAMES
    ? `[…, ${JSON.stringify(name)}]`
    : `[${names.map((one) => JSON.stringify(one)).join(", ")}]`;
}

const MAX_SHOWN_NAMES = 10;
