// Source: RFC 6901 section 3.

/** A name as a part of a JSON pointer. */
export function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The name that a part of a JSON pointer stands for. */
export function unescapeKey(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
