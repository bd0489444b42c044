import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** Deeper values are refused, so that a hostile text cannot exhaust the stack. */
const DEEPEST = 32;

/** A place in a text; both count from 1. */
export type TextPosition = { readonly line: number; readonly column: number };

/**
 * A value, and where its parts are. `placeOf`: of the value at a path, or of the nearest one around it. `repeated`: the
 * keys that occur again in their object, if that is allowed.
 */
export type LocatedJson = {
  readonly value: unknown;
  readonly placeOf: (path: readonly PropertyKey[]) => TextPosition;
  readonly repeated: readonly { readonly key: string; readonly place: TextPosition }[];
};

/**
 * What a text may have besides strict JSON. `comments`: also a comma after the last item, as in tsconfig.json.
 * `repeatedKeys`: the last one counts, as for `JSON.parse`.
 */
export type JsonRules = { readonly comments?: boolean; readonly repeatedKeys?: boolean };

/** `message`: the mistake, such as `there is a comma too many`. */
export type JsonProblem = { readonly message: string; readonly place: TextPosition };

/**
 * Parses JSON that a person wrote. Unlike `JSON.parse`, it knows the line of each value, and refuses an object that has
 * a key twice, unless the rules allow it. Takes linear time.
 */
export function parseLocatedJson(
  text: string,
  rules: JsonRules = {},
): ResultOf<LocatedJson, { readonly problem: JsonProblem }> {
  const reader = new Reader(text, rules);
  try {
    const { value, node } = reader.read();
    const placeOf = (path: readonly PropertyKey[]): TextPosition => {
      let nearest = node;
      for (const key of path) nearest = nearest.parts.get(String(key)) ?? nearest;
      return placeAt(text, nearest.start);
    };
    const repeated = reader.repeated.map(({ key, at }) => ({ key, place: placeAt(text, at) }));
    return succeed({ value, placeOf, repeated });
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    return { ok: false, problem: { message: error.message, place: placeAt(text, error.at) } };
  }
}

/** Where a value begins; for a field, its name. */
type Node = { readonly start: number; readonly parts: Map<string, Node> };

class Wrong extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

const space = /[ \t\n\r]*/y;
const spaceAndComments = /(?:[ \t\n\r]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
/** More repeated keys are not reported. */
const MOST_REPEATED = 20;
const literal =
  /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

class Reader {
  readonly text: string;
  readonly rules: JsonRules;
  readonly repeated: { readonly key: string; readonly at: number }[] = [];
  #at: number;

  constructor(text: string, rules: JsonRules) {
    this.text = text;
    this.rules = rules;
    this.#at = text.startsWith("\uFEFF") ? 1 : 0;
  }

  read(): { readonly value: unknown; readonly node: Node } {
    this.#skip();
    const node: Node = { start: this.#at, parts: new Map() };
    const value = this.#value(node, 0);
    this.#skip();
    if (this.#at < this.text.length) throw new Wrong(this.#at, "there is more text after the end");
    return { value, node };
  }

  #value({ parts }: Node, depth: number): unknown {
    if (depth > DEEPEST) throw new Wrong(this.#at, `it is nested more than ${DEEPEST} deep`);
    if (this.text[this.#at] === "{") return this.#object(parts, depth);
    if (this.text[this.#at] === "[") return this.#array(parts, depth);
    return this.#literal("a value");
  }

  #object(parts: Node["parts"], depth: number): unknown {
    const fields = new Map<string, unknown>();
    this.#items("}", () => {
      const start = this.#at;
      const name = this.text[start] === '"' ? this.#literal("a name") : null;
      if (typeof name !== "string") throw new Wrong(start, this.#expected("a name in double quotes"));
      if (fields.has(name)) this.#repeat(name, start);
      const node: Node = { start, parts: new Map() };
      parts.set(name, node);
      this.#skip();
      if (!this.#accept(":")) throw new Wrong(this.#at, this.#expected("a colon"));
      this.#skip();
      fields.set(name, this.#value(node, depth + 1));
    });
    return Object.fromEntries(fields);
  }

  #repeat(key: string, at: number): void {
    if (this.rules.repeatedKeys !== true) throw new Wrong(at, `the key ${JSON.stringify(key)} occurs twice`);
    if (this.repeated.length < MOST_REPEATED) this.repeated.push({ key, at });
  }

  #array(parts: Node["parts"], depth: number): unknown {
    const items: unknown[] = [];
    this.#items("]", () => {
      const node: Node = { start: this.#at, parts: new Map() };
      parts.set(String(items.length), node);
      items.push(this.#value(node, depth + 1));
    });
    return items;
  }

  /** Reads the items between two brackets, separated by commas. */
  #items(end: "}" | "]", readItem: () => void): void {
    this.#at += 1;
    this.#skip();
    if (this.#accept(end)) return;
    for (;;) {
      readItem();
      this.#skip();
      if (this.#accept(end)) return;
      const comma = this.#at;
      if (!this.#accept(",")) throw new Wrong(this.#at, this.#expected(`a comma or \`${end}\``));
      this.#skip();
      if (this.text[this.#at] !== end) continue;
      if (this.rules.comments !== true) throw new Wrong(comma, "there is a comma after the last item");
      this.#at += 1;
      return;
    }
  }

  #literal(what: string): unknown {
    literal.lastIndex = this.#at;
    const [found] = literal.exec(this.text) ?? [];
    if (found === undefined && this.text[this.#at] === '"')
      throw new Wrong(this.#at, "a text has no end on its line, or a wrong escape");
    if (found === undefined) throw new Wrong(this.#at, this.#expected(what));
    this.#at += found.length;
    return JSON.parse(found);
  }

  #accept(mark: string): boolean {
    const isThere = this.text[this.#at] === mark;
    if (isThere) this.#at += 1;
    return isThere;
  }

  #skip(): void {
    const skipped = this.rules.comments === true ? spaceAndComments : space;
    skipped.lastIndex = this.#at;
    this.#at += skipped.exec(this.text)?.[0].length ?? 0;
  }

  #expected(what: string): string {
    const next = this.text.slice(this.#at, this.#at + 2);
    if (next === "") return `${what} is expected, and the file ends`;
    if (this.rules.comments === true && next === "/*") return "a comment has no end";
    if (next === "//" || next === "/*" || next.startsWith("#")) return "comments are not allowed in JSON";
    return `${what} is expected, not ${JSON.stringify(String.fromCodePoint(next.codePointAt(0) ?? 0))}`;
  }
}

function placeAt(text: string, index: number): TextPosition {
  const before = text.slice(0, index).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
