/** The value of a field; undefined if there is none. */
export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** The items of a list in a field; none if it is not a list. */
export function items(value: unknown, name: string): readonly unknown[] {
  const list = field(value, name);
  return Array.isArray(list) ? list : [];
}

/** Whether the field is a text with a length within these limits, in UTF-16 units. */
export function isText(value: unknown, name: string, least: number, most: number): boolean {
  const text = field(value, name);
  return typeof text === "string" && text.trim().length >= least && text.length <= most;
}

/** The first problem; null if there is none. */
export function firstProblem(problems: readonly (string | null)[]): string | null {
  return problems.find((problem) => problem !== null) ?? null;
}
