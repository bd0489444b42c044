import { succeed } from "#contract/lib/result.ts";
import { type Result, stop } from "#cli/outcome.ts";

const DEFAULT_LIMIT = 20;

/** The option of commands that list the newest of many. @param what the plural of the listed noun */
export function limitOption(what: string) {
  const help = `Maximum number of ${what} (default: ${DEFAULT_LIMIT})`;
  return { limit: { kind: "text", short: "n", value: "COUNT", help } } as const;
}

export function readLimit({ limit: text }: { readonly limit: string | null }): Result<number> {
  const limit = text === null ? DEFAULT_LIMIT : Number(text);
  return Number.isInteger(limit) && limit >= 1
    ? succeed(limit)
    : stop("usage", "--limit must be a whole number of at least 1.");
}
