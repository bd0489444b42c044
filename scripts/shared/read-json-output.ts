import type * as z from "zod";

import { parseJson } from "#contract/parse-json.ts";

/**
 * Finds the JSON in a program's output. It must be on lines of its own. wrangler prints warnings and notices on stdout too,
 * which may contain brackets. If several parts fit the schema, the last one is returned.
 * @throws Error if no part fits the schema
 */
export function readJsonOutput<Schema extends z.ZodType>(stdout: string, schema: Schema): z.output<Schema> {
  const lines = stdout.split(/\r?\n/);
  for (let start = lines.length - 1; start >= 0; start -= 1) {
    if (!/^[[{]/.test(lines[start] ?? "")) continue;
    for (let end = lines.length; end > start; end -= 1) {
      if (!/[\]}]\s*$/.test(lines[end - 1] ?? "")) continue;
      const fitting = schema.safeParse(parseJson(lines.slice(start, end).join("\n")));
      if (fitting.success) return fitting.data;
    }
  }
  throw new Error(`expected JSON, but the program printed:\n${stdout.trim()}`);
}
