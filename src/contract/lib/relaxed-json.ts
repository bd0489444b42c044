import { objectOf } from "#contract/lib/json-object.ts";
import { parseLocatedJson } from "#contract/lib/located-json.ts";
import { parseJson } from "#contract/parse-json.ts";

/**
 * As `parseObject`, of a text that may have comments and a comma after the last item. angular.json and turbo.json may, and
 * Bun reads such a package.json.
 */
export function parseRelaxedObject(text: string): Readonly<Record<string, unknown>> {
  const strict = parseJson(text);
  if (strict !== null) return objectOf(strict);
  const relaxed = parseLocatedJson(text, { comments: true, repeatedKeys: true });
  return relaxed.ok ? objectOf(relaxed.value.value) : {};
}
