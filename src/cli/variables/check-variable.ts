import {
  REGISTRY_TOKEN,
  REPOSITORY_TOKEN,
  SetVariable,
  type Variables,
} from "#contract/endpoints/variables/schemas.ts";
import type { VariableToSet } from "#cli/variables/change-variables.ts";

/** Why a variable is not valid, as the end of a sentence; null if it is. Never quotes the name or the value. */
export function variableError({ name, value, isSecret, build }: VariableToSet): string | null {
  const given = { name, value, secret: isSecret, ...(build === null ? {} : { build }) };
  const [issue] = SetVariable.safeParse(given).error?.issues ?? [];
  return issue === undefined ? null : `the ${String(issue.path[0])} ${issue.message}`;
}

/** The names whose values are secrets even if the command line does not say so. */
export function secretNames({ variables }: Variables): ReadonlySet<string> {
  const secrets = variables.filter(({ secret }) => secret).map(({ name }) => name);
  return new Set([REPOSITORY_TOKEN, REGISTRY_TOKEN, ...secrets]);
}
