import { type ConfigToken, tokensOf } from "#project-files/frameworks/config-tokens.ts";

/** What a configuration file says in plain values. */
export type Config = {
  readonly file: string;
  /**
   * The plain values by their path, such as `build.outDir`. The arguments of a call inside a setting have its name:
   * `plugins.remix().ssr`. A call with one plain argument is a setting itself: `setOutputDirectory()`. A setting that is
   * computed, or that has two values, is missing.
   */
  readonly values: ReadonlyMap<string, string | boolean>;
  /** The paths of all settings, also of those that are computed. */
  readonly names: ReadonlySet<string>;
  /** The packages that are imported. */
  readonly imports: ReadonlySet<string>;
};

/** An open bracket. `path`: of the setting that it belongs to; empty outside of all settings. */
type Bracket = { readonly opens: string; readonly path: readonly string[] };

/** Settings further inside are ignored, so that deep nesting takes linear time. */
const DEEPEST = 12;

/** Longer names are cut, because the path of each setting inside has them again. */
const LONGEST_NAME = 60;

const closing: Readonly<Record<string, string>> = { "{": "}", "(": ")", "[": "]" };
const nothing: ConfigToken = { kind: "mark", text: "" };

/** Reads the settings of a configuration file in JavaScript, TypeScript or JSON, without running it. */
export function readConfig(file: string, text: string): Config {
  const tokens = [...tokensOf(text)];
  const at = (index: number): ConfigToken => tokens[index] ?? nothing;
  const isMark = (index: number, ...marks: readonly string[]) =>
    at(index).kind === "mark" && marks.includes(at(index).text);
  const isWord = (index: number, pattern: RegExp) =>
    at(index).kind === "word" && pattern.test(at(index).text);
  const values = new Map<string, string | boolean | null>();
  const names = new Set<string>();
  const imports = new Set<string>();
  const open: Bracket[] = [];
  /** The setting whose value is being read, and where the value begins. */
  let setting: { readonly name: string; readonly from: number } | null = null;

  const note = (path: string, value: string | boolean | null) =>
    values.set(path, !values.has(path) || values.get(path) === value ? value : null);

  /** The name of the object, list or call that begins here; `null` if it has none. */
  function nameOf(index: number, outer: readonly string[]): string | null {
    if (setting !== null) return setting.from === index ? setting.name : `${setting.name}()`;
    if (isMark(index - 1, "...")) return "...";
    const isCall = outer.length > 0 && isMark(index, "(") && at(index - 1).kind === "word";
    return isCall ? `${cut(at(index - 1).text)}()` : null;
  }

  for (const [index, { kind, text: word }] of tokens.entries()) {
    const outer = open.at(-1)?.path ?? [];
    const isKey = open.at(-1)?.opens === "{" && isMark(index - 1, "{", ",") && isMark(index + 1, ":");
    if (kind === "mark" && Object.hasOwn(closing, word)) {
      const name = nameOf(index, outer);
      open.push({ opens: word, path: name === null || outer.length > DEEPEST ? outer : [...outer, name] });
      setting = null;
    } else if (kind === "mark") {
      if (closing[open.at(-1)?.opens ?? ""] === word) open.pop();
      if (/^[\]}),;=]$/.test(word)) setting = null;
    } else if (isKey) {
      setting = { name: cut(word), from: index + 2 };
      const isWhole = isMark(index + 3, ",", "}", "") || isWord(index + 3, /^(?:as|satisfies)$/);
      if (outer.length <= DEEPEST) names.add([...outer, cut(word)].join("."));
      if (!isMark(index + 2, "{", "[") && outer.length <= DEEPEST)
        note([...outer, cut(word)].join("."), isWhole ? plainValue(at(index + 2)) : null);
    } else if (kind === "string") {
      const isArgument = isMark(index - 1, "(") && isMark(index + 1, ")");
      if (isArgument && at(index - 2).kind === "word") note(`${cut(at(index - 2).text)}()`, word);
      if (isWord(index - 1, /^(?:from|import)$/) || (isArgument && isWord(index - 2, /^(?:require|import)$/)))
        imports.add(word);
    }
  }
  const plain = [...values].flatMap(([path, value]) => (value === null ? [] : [[path, value] as const]));
  return { file, values: new Map(plain), names, imports };
}

function cut(name: string): string {
  return name.slice(0, LONGEST_NAME);
}

function plainValue({ kind, text }: ConfigToken): string | boolean | null {
  if (kind === "string") return text;
  return text === "true" ? true : text === "false" ? false : null;
}
