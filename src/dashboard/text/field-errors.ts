import type * as z from "zod/mini";

import { sentence } from "#contract/lib/sentence.ts";

type Issue = {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** The type of the value: a number, a text, a list. */
  readonly origin?: string | undefined;
  readonly expected?: string | undefined;
  readonly minimum?: number | bigint | undefined;
  readonly maximum?: number | bigint | undefined;
};

/** What an empty field asks for, by its name. Its other rules help only after something is typed. */
const emptyTexts: ReadonlyMap<PropertyKey | undefined, string> = new Map([
  ["name", "Enter a name."],
  ["command", "Enter a command."],
  ["repository", "Enter the address of a repository."],
  ["ip", "Enter an IPv4 address."],
]);

/** What the fields of a form say: the body of its request, or the error of each field by its path joined with dots. */
export type ReadForm<Value> = { readonly errors: Readonly<Record<string, string>> } & (
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false }
);

/** Validates what the fields of a form say. */
export function readForm<Value>(schema: z.ZodMiniType<Value>, input: unknown): ReadForm<Value> {
  const parsed = schema.safeParse(input);
  return parsed.success
    ? { ok: true, value: parsed.data, errors: {} }
    : { ok: false, errors: errorsOf(parsed.error, input) };
}

/** The first error of each field. @param input the validated value */
function errorsOf({ issues }: { readonly issues: readonly Issue[] }, input: unknown): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const issue of issues) {
    const asked = valueAt(input, issue.path) === "" ? emptyTexts.get(issue.path.at(-1)) : undefined;
    errors[issue.path.map(String).join(".")] ??= asked ?? textOf(issue);
  }
  return errors;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return input;
  return typeof input === "object" && input !== null ? valueAt(Reflect.get(input, first), rest) : undefined;
}

/** The contract's own rules have messages. For the others, zod/mini reports only a code. */
function textOf({ code, message, origin, expected, minimum, maximum }: Issue): string {
  if (message !== "Invalid input") return sentence(message);
  const isNumber = origin === "number" || origin === "int";
  if (code === "too_small") return isNumber ? `Must be ${minimum} or more.` : "Required.";
  if (code === "too_big") {
    if (isNumber) return `Must be ${maximum} or less.`;
    return origin === "string" ? `Must have ${maximum} characters or fewer.` : "Too many entries.";
  }
  if (code === "invalid_type" && expected === "int") return "Must be a whole number.";
  if (code === "invalid_type" && expected === "number") return "Must be a number.";
  if (code === "invalid_type") return "Missing or invalid.";
  return "Invalid value.";
}
