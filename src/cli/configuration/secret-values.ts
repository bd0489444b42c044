import { mapSecrets, SECRET, sourceAt } from "#cli/configuration/item.ts";
import type { Json } from "#cli/configuration/json.ts";
import { changedFields, type Step } from "#cli/configuration/plan.ts";
import { pathText } from "#cli/configuration/print-toml.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { succeed } from "#contract/lib/result.ts";

/** The fields to send, with the values of secrets from the environment. An update only has the fields that change. */
export function secretValues(
  step: Step,
  environment: NodeJS.ProcessEnv,
): Result<{ readonly [name: string]: Json }> {
  const { act, item, after } = step;
  const changed = new Set(changedFields(step));
  const entries = Object.entries(after).filter(([name]) => act === "create" || changed.has(name));
  const missing: string[] = [];
  const filled = entries.map(([name, value]): [string, Json] => [
    name,
    mapSecrets(value, [name], (path) => {
      const source = sourceAt(item.sources, path);
      const given = source === null ? undefined : environment[source];
      if (given === undefined) missing.push(source ?? pathText(path));
      return given ?? SECRET;
    }),
  ]);
  return missing.length === 0
    ? succeed(Object.fromEntries(filled))
    : stop("usage", `Set these environment variables: ${missing.join(", ")}.`);
}

/** The variables of the environment that a step needs. */
export function neededSources(step: Step): readonly string[] {
  const fields = changedFields(step).map((name) => pathText([name]));
  return [...step.item.sources].flatMap(([path, source]) => {
    const isSent = fields.some((field) => path === field || path.startsWith(`${field}.`));
    return isSent ? [source] : [];
  });
}
