import { headerPath, statementsOf } from "#cli/configuration/comments.ts";
import { parseDocument } from "#cli/configuration/document.ts";
import { type Fields, fieldOf, isFields, isSame, type Json } from "#cli/configuration/json.ts";
import { pathText } from "#cli/configuration/print-toml.ts";

/** The lines of everything below a table such as `[projects.shop]`, or of the values before the first table. */
type Unit = { readonly path: readonly string[]; readonly lines: readonly string[] };

type Change = {
  readonly before: Fields;
  readonly next: Fields;
  /** The text of `next`, with the comments of the file. */
  readonly printed: string;
};

/** The text of a changed document, in which what did not change has its text from the file. */
export function keepText(text: string, { before, next, printed }: Change): string {
  const [old, fresh] = [unitsOf(text), unitsOf(printed)];
  const lines = [...fresh.units].flatMap(([name, { path, lines: given }]) => {
    const isKept = isSame(valueAt(before, path), valueAt(next, path));
    return (isKept ? old.units.get(name)?.lines : undefined) ?? given;
  });
  const kept = `${[...lines, ...old.end].join("\n").trim()}\n`;
  const read = parseDocument(kept, "toml", "");
  // Tables can also be written at other places, such as in the line of another table.
  return read.ok && isSame(read.value, next) ? kept : printed;
}

/** Comments and empty lines belong to what they stand before; the first ones, up to an empty line, to the file. */
function unitsOf(text: string): {
  readonly units: ReadonlyMap<string, Unit>;
  readonly end: readonly string[];
} {
  const units = new Map<string, Unit>();
  let path: readonly string[] = [];
  let pending: string[] = [];
  let isBegun = false;
  const add = (...lines: readonly string[]) => {
    const name = pathText(path);
    units.set(name, { path, lines: [...(units.get(name)?.lines ?? []), ...pending, ...lines] });
    pending = [];
    isBegun = true;
  };
  for (const lines of statementsOf(text)) {
    const start = (lines[0] ?? "").trim();
    if (start === "" && !isBegun && pending.length > 0) add(...lines);
    else if (start === "" || start.startsWith("#")) pending.push(...lines);
    else {
      if (start.startsWith("[")) path = headerPath(start).slice(0, 2);
      add(...lines);
    }
  }
  return { units, end: pending };
}

/** The value of a unit; of the first one: the values that are no tables. */
function valueAt(document: Fields, [kind, key]: readonly string[]): Json | undefined {
  if (kind === undefined)
    return Object.fromEntries(Object.entries(document).filter(([, value]) => !isFields(value)));
  const table = fieldOf(document, kind);
  return key === undefined || !isFields(table) ? table : fieldOf(table, key);
}
