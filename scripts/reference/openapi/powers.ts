import type * as z from "zod";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { endpoints } from "#contract/endpoints/endpoints.ts";
import { type MarkedField, markedFields } from "#contract/powers/marked-fields.ts";
import type { Mark } from "#contract/powers/marks.ts";
import { marks } from "#contract/powers/marks-table.ts";
import { powerWords } from "#contract/powers/scope-powers.ts";

const all: ReadonlyMap<string, Mark> = new Map(Object.entries(marks));
const table: readonly (readonly [string, Endpoint])[] = Object.entries(endpoints);

/** What an operation as a whole lets the caller do, as sentences. */
export function powersOfOperation(name: string): string[] {
  const whole = markedFields(all.get(name) ?? "none").filter(({ path }) => path.length === 0);
  return whole.map(({ power }) => `Lets the caller ${powerWords[power]}.`);
}

/** What the fields of a body let the caller do, as sentences: by the name of the field, which may contain others. */
export function powersOfFields(body: z.core.$ZodType): ReadonlyMap<string, string> {
  const fields = table
    .filter(([, endpoint]) => endpoint.body === body)
    .flatMap(([name]) => markedFields(all.get(name) ?? "none"))
    .filter(({ path }) => path.length > 0);
  const byName = Map.groupBy(fields, ({ path: [name = ""] }) => name);
  return new Map([...byName].map(([name, marked]) => [name, sentences(marked)]));
}

/** One sentence for each power, and for each scope that is needed too. */
function sentences(fields: readonly MarkedField[]): string {
  const alike = Map.groupBy(fields, ({ power, scope }) => `${power} ${scope}`);
  return [...alike.values()].map(sentenceOf).join(" ");
}

function sentenceOf(fields: readonly MarkedField[]): string {
  const [first] = fields;
  if (first === undefined) return "";
  const { power, scope } = first;
  const inner = fields.flatMap(({ path }) => path.slice(1).findLast((name) => name !== "*") ?? []);
  const names = inner.map((name) => `\`${name}\``).join(", ");
  const lets = `${inner.length > 1 ? "let" : "lets"} the caller ${powerWords[power]}`;
  if (scope !== null)
    return `Needs the scope \`${scope}\` too, because ${names === "" ? "it" : names} ${lets}.`;
  return names === "" ? `Lets the caller ${powerWords[power]}.` : `${names}: ${lets}.`;
}
