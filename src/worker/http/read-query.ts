import { type FieldError, refuse, type Result, succeed } from "#contract/problems.ts";

/** The parameters of a query string by name. One that is given twice is refused: either reading would be a guess. */
export function readQuery(url: URL): Result<Record<string, string>, "invalid_request"> {
  const values = new Map<string, string>();
  const errors: FieldError[] = [];
  for (const [name, value] of url.searchParams) {
    if (values.has(name)) errors.push({ pointer: `?${name}`, message: "is given more than once" });
    values.set(name, value);
  }
  if (errors.length > 0)
    return refuse("invalid_request", "A query parameter is given more than once.", errors);
  return succeed(Object.fromEntries(values));
}
