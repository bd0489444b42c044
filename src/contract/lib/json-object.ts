import { parseJson } from "#contract/parse-json.ts";

/** The object that a JSON text contains; an empty one for anything else. */
export function parseObject(text: string): Readonly<Record<string, unknown>> {
  return objectOf(parseJson(text));
}

/** The own fields of a value of unknown type; none if it is no object. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
