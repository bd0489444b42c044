import { type EnvError, readEnv } from "#client/read-env.ts";
import { VariableName } from "#contract/endpoints/variables/schemas.ts";

export type ImportedVariable = { readonly name: string; readonly value: string };

/** `variables`: each name once, with the value of its last line. Incomplete if there are `errors`. */
export type Import = {
  readonly variables: readonly ImportedVariable[];
  readonly errors: readonly EnvError[];
};

/** Reads the variables of a .env text. No error contains a part of a value. */
export function readImport(text: string): Import {
  const { entries, errors } = readEnv(text);
  const invalid = entries.flatMap(({ line, name }) => {
    const parsed = VariableName.safeParse(name);
    if (parsed.success) return [];
    return [
      { line, message: `has an invalid name: it ${parsed.error.issues[0]?.message ?? "is not allowed"}.` },
    ];
  });
  const values = new Map(entries.map(({ name, value }) => [name, value]));
  return {
    variables: [...values].map(([name, value]) => ({ name, value })),
    errors: [...errors, ...invalid].toSorted((a, b) => a.line - b.line),
  };
}

/** The text of a file; null if it is not in UTF-8: replacing other bytes would change a value. */
export function textOf(bytes: BufferSource): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
