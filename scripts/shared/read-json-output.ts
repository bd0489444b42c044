import type * as z from "zod";

/**
 * The JSON that a program has printed on lines of its own, whatever it has printed before and after it: wrangler's warnings
 * and notices may stand on stdout as well, and hold brackets. Of several the last that fits counts.
 * @throws Error where nothing fits
 */
export function readJsonOutput<Schema extends z.ZodType>(stdout: string, schema: Schema): z.output<Schema> {
  const lines = stdout.split(/\r?\n/);
  for (let start = lines.length - 1; start >= 0; start -= 1) {
    if (!/^[[{]/.test(lines[start] ?? "")) continue;
    for (let end = lines.length; end > start; end -= 1) {
      if (!/[\]}]\s*$/.test(lines[end - 1] ?? "")) continue;
      const fitting = schema.safeParse(jsonOrUndefined(lines.slice(start, end).join("\n")));
      if (fitting.success) return fitting.data;
    }
  }
  throw new Error(`expected JSON, and this was printed:\n${stdout.trim()}`);
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
