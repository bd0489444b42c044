import { type FieldError, refuse, type Result, succeed } from "#contract/problems.ts";
import { NOT_WELL_FORMED } from "#contract/well-formed.ts";

/**
 * The parameters of a query string by name. Refuses a parameter that occurs twice, because either value would be a guess,
 * and bytes that are not UTF-8, because the URL parser would replace them by U+FFFD and so change the request.
 */
export function readQuery(url: URL): Result<Record<string, string>, "invalid_request"> {
  // Most requests have none.
  if (url.search === "") return succeed({});
  const values = new Map<string, string>();
  const errors: FieldError[] = [];
  for (const [name, value] of url.searchParams) {
    if (values.has(name)) errors.push({ pointer: `?${name}`, message: "is given more than once" });
    values.set(name, value);
  }
  if (errors.length > 0)
    return refuse("invalid_request", "A query parameter is given more than once.", errors);
  const badTexts = badTextsOf(url);
  if (badTexts.length > 0)
    return refuse("invalid_request", "The query is not well-formed Unicode.", badTexts);
  return succeed(Object.fromEntries(values));
}

function badTextsOf({ search }: URL): FieldError[] {
  return search
    .slice(1)
    .split("&")
    .filter((parameter) => !isUtf8(parameter))
    .map((parameter) => ({
      pointer: `?${[...new URLSearchParams(parameter).keys()].join()}`,
      message: NOT_WELL_FORMED,
    }));
}

/** Whether the percent-encoded bytes are UTF-8. A percent sign without two hexadecimal digits is literal. */
function isUtf8(encoded: string): boolean {
  try {
    decodeURIComponent(encoded.replace(/%(?![0-9a-f]{2})/gi, "%25"));
    return true;
  } catch {
    return false;
  }
}
