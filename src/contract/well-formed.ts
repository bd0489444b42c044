// Text in Gantry is Unicode. A JavaScript string can also hold half of a surrogate pair, which JSON can write ("\ud800")
// but UTF-8 cannot: stored, it would silently become another text. Source: RFC 7493 (I-JSON) section 2.1.

export const NOT_WELL_FORMED = "must be well-formed Unicode: it holds half of a surrogate pair, or bad UTF-8";

type Place = { readonly value: unknown; readonly key: string; readonly parent: Place | null };

/**
 * The paths of all texts in a JSON value that are not well-formed Unicode, at most so many of them. Where the name of a
 * field is not well-formed, the path leads to the field, with U+FFFD in its name. Does not recurse: JSON can be nested
 * deeper than the stack.
 */
export function notWellFormed(json: unknown, most: number): string[][] {
  const paths: string[][] = [];
  const waiting: Place[] = [{ value: json, key: "", parent: null }];
  for (let place = waiting.pop(); place !== undefined && paths.length < most; place = waiting.pop()) {
    const { value, key } = place;
    if (!key.isWellFormed() || (typeof value === "string" && !value.isWellFormed()))
      paths.push(pathOf(place));
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

/** A value as JSON, with U+FFFD in place of each half of a surrogate pair. */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  // JSON.stringify escapes them, and only them, like this. Source: ECMA-262, QuoteJSONString.
  if (!/\\ud[89a-f]/.test(json)) return json;
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "string" ? inner.toWellFormed() : inner,
  );
}
