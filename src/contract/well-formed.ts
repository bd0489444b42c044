// Text in Gantry is Unicode. A JavaScript string, and JSON ("\ud800"), can also contain an unpaired surrogate, but UTF-8
// cannot, so a stored text would be silently changed. Source: RFC 7493 (I-JSON) section 2.1.

export const NOT_WELL_FORMED =
  "must be well-formed Unicode: it contains an unpaired surrogate or invalid UTF-8";

type Place = { readonly value: unknown; readonly key: string; readonly parent: Place | null };

/**
 * The paths of texts in a JSON value that are not well-formed Unicode. For a malformed field name, the path of the field,
 * with U+FFFD in its name. Does not recurse, because JSON can be nested more deeply than the stack allows.
 * @param most the maximum number of paths
 */
export function notWellFormed(json: unknown, most: number): string[][] {
  return pathsOf(json, most, (key, value) => {
    return !key.isWellFormed() || (typeof value === "string" && !value.isWellFormed());
  });
}

export const RESERVED_NAME = "must not have this name";

/**
 * The paths of fields named `__proto__` in a JSON value. No field of the API has this name, but in a record, such as
 * headers, it would be dropped without an error. Does not recurse either.
 * @param most the maximum number of paths
 */
export function reservedNames(json: unknown, most: number): string[][] {
  return pathsOf(json, most, (key) => key === "__proto__");
}

function pathsOf(
  json: unknown,
  most: number,
  isFlawed: (key: string, value: unknown) => boolean,
): string[][] {
  const paths: string[][] = [];
  const waiting: Place[] = [{ value: json, key: "", parent: null }];
  for (let place = waiting.pop(); place !== undefined && paths.length < most; place = waiting.pop()) {
    const { value, key } = place;
    if (isFlawed(key, value)) paths.push(pathOf(place));
    else if (typeof value === "object" && value !== null)
      for (const [name, inner] of Object.entries(value).toReversed())
        waiting.push({ value: inner, key: name, parent: place });
  }
  return paths;
}

function pathOf(place: Place): string[] {
  const path: string[] = [];
  for (let at = place; at.parent !== null; at = at.parent) path.push(at.key.toWellFormed());
  return path.toReversed();
}

/** Formats a value as JSON, with U+FFFD in place of each unpaired surrogate. */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  // JSON.stringify escapes only unpaired surrogates like this. Source: ECMA-262, QuoteJSONString.
  if (!/\\ud[89a-f]/.test(json)) return json;
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "string" ? inner.toWellFormed() : inner,
  );
}
