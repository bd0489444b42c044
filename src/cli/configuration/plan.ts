import {
  type Item,
  type KindName,
  kindNames,
  SECRET,
  sourceAt,
  sourcesIn,
  type State,
} from "#cli/configuration/item.ts";
import { type Fields, fieldOf, isFields, isSame, type Json, stableText } from "#cli/configuration/json.ts";
import { type KindRules, rulesOf } from "#cli/configuration/kind-rules.ts";
import { noticesOf } from "#cli/configuration/plan-notices.ts";
import { looksSecret } from "#contract/looks-secret.ts";

/**
 * A change of a field. Undefined: it has no value. `isHidden`: a value is from the environment or looks like a secret, so they
 * are not shown. `servers`: the names of the servers that cannot open a secret that exists.
 */
export type Change = {
  readonly path: readonly string[];
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  readonly isHidden: boolean;
  readonly servers: readonly string[];
};

export type Step = {
  readonly act: "create" | "update" | "delete";
  /** Of the file; to delete: of the installation. */
  readonly item: Item;
  /** Null: it does not exist yet. */
  readonly current: Item | null;
  readonly changes: readonly Change[];
  /** All fields afterwards. */
  readonly after: Fields;
};

/** The names of the fields that a step changes, each once. */
export function changedFields({ changes }: Pick<Step, "changes">): string[] {
  return [...new Set(changes.map(({ path: [name = ""] }) => name))];
}

/** What the installation has and the file does not. `path`: of a field, if the thing itself is in the file. */
export type Extra = { readonly item: Item; readonly path: readonly string[] };

export type Plan = {
  /** In the order in which they are carried out. */
  readonly steps: readonly Step[];
  /** What stays, because deletions were not asked for. */
  readonly extras: readonly Extra[];
  /** What the file has, and what only people can add: members. */
  readonly missing: readonly Item[];
  readonly unchanged: number;
  /** What to know before the plan is applied. Sentences. */
  readonly notices: readonly string[];
};

export type PlanOptions = {
  /** Whether to delete what the file does not have. */
  readonly prune: boolean;
  /** Whether to send secrets again that exist. */
  readonly secrets: boolean;
};

type Pair = { readonly wanted: Item | null; readonly current: Item | null };

/**
 * Decides what makes an installation like a file. Only kinds that the file has count. The order is the order of what
 * depends on what: projects before what names them, and deletions last, in reverse.
 */
export function planChanges(wanted: State, current: State, options: PlanOptions): Plan {
  const steps: Step[] = [];
  const deletions: Step[] = [];
  const extras: Extra[] = [];
  const missing: Item[] = [];
  let unchanged = 0;
  for (const kind of kindNames) {
    const rules = rulesOf(kind);
    const items = wanted.get(kind);
    if (items === undefined) continue;
    for (const pair of pairItems(items, current.get(kind) ?? [])) {
      if (pair.wanted === null) {
        if (pair.current === null || !rules.canDelete) continue;
        if (options.prune) deletions.unshift(deletionOf(pair.current));
        else extras.push({ item: pair.current, path: [] });
        continue;
      }
      if (pair.current === null && !rules.canCreate) {
        missing.push(pair.wanted);
        continue;
      }
      const { step, kept } = stepFor(pair.wanted, pair.current, rules, options);
      const owner = pair.current;
      if (owner !== null) extras.push(...kept.map((path) => ({ item: owner, path })));
      if (isStep(step)) steps.push(step);
      else unchanged += 1;
    }
  }
  const plan = { steps: [...steps, ...deletions], extras, missing, unchanged };
  const [variables = [], projects = []] = [wanted.get("variables"), current.get("projects")];
  return { ...plan, notices: noticesOf(plan, { variables, projects }) };
}

/** Finds for each item of the file the item of the installation that is the same thing. Several can have the same name. */
export function pairItems(wanted: readonly Item[], current: readonly Item[]): Pair[] {
  const left = [...current];
  const take = (found: (item: Item) => boolean): Item | null => {
    const at = left.findIndex(found);
    return at === -1 ? null : (left.splice(at, 1)[0] ?? null);
  };
  const exact = wanted.map((item) =>
    take((other) => other.identity === item.identity && isSame(other.fields, item.fields)),
  );
  const pairs = wanted.map((item, at): Pair => {
    const found = exact[at] ?? take((other) => other.identity === item.identity);
    return { wanted: item, current: found };
  });
  return [...pairs, ...left.map((item): Pair => ({ wanted: null, current: item }))];
}

function isStep({ act, changes, item }: Step): boolean {
  // The variables of a project are no thing of their own.
  return act === "create" && item.kind !== "variables" ? true : changes.length > 0;
}

function deletionOf(item: Item): Step {
  return { act: "delete", item, current: item, changes: [], after: {} };
}

function stepFor(
  wanted: Item,
  current: Item | null,
  rules: KindRules,
  options: PlanOptions,
): { readonly step: Step; readonly kept: readonly (readonly string[])[] } {
  const kept: string[][] = [];
  const after: [string, Json][] = [];
  const changes: Change[] = [];
  const names = new Set([...Object.keys(wanted.fields), ...Object.keys(current?.fields ?? {})]);
  if (rules.canRename && current !== null && current.name !== wanted.name)
    changes.push({ path: ["name"], before: current.name, after: wanted.name, isHidden: false, servers: [] });
  for (const name of names) {
    const before = fieldOf(current?.fields ?? {}, name);
    const given = fieldOf(wanted.fields, name);
    const isAutomatic = rules.automatic.includes(name);
    const isExtra = rules.grows === "all" && given === undefined;
    if (isExtra && !options.prune) kept.push([name]);
    const isRemoved = given === undefined && (isAutomatic || (isExtra && options.prune));
    // Of some fields the API shows nothing, such as the secret of a hook.
    const isShown = current === null || before !== undefined || isAutomatic || rules.grows === "all";
    const isSent = isShown || (options.secrets && sourceAt(wanted.sources, [name]) !== null);
    if (!isRemoved && (given === undefined || !isSent)) {
      if (before !== undefined) after.push([name, before]);
      continue;
    }
    const isGrowing = rules.grows !== "all" && rules.grows.includes(name);
    const grown = isGrowing && !options.prune ? withExtras(given, before, name, kept) : given;
    if (grown !== undefined) after.push([name, grown]);
    changes.push(...changesOf(before, grown, [name], { wanted, current, options }));
  }
  const act = current === null ? "create" : "update";
  return { step: { act, item: wanted, current, changes, after: Object.fromEntries(after) }, kept };
}

/** The table with the entries that only the installation has. */
function withExtras(
  given: Json | undefined,
  before: Json | undefined,
  name: string,
  kept: string[][],
): Json | undefined {
  if (!isFields(before) || !isFields(given)) return given;
  const extras = Object.entries(before).filter(([key]) => !Object.hasOwn(given, key));
  kept.push(...extras.map(([key]) => [name, key]));
  return Object.fromEntries([...Object.entries(given), ...extras]);
}

type Comparison = { readonly wanted: Item; readonly current: Item | null; readonly options: PlanOptions };

/** The fields that differ, each by its path. */
function changesOf(
  before: Json | undefined,
  after: Json | undefined,
  path: readonly string[],
  comparison: Comparison,
): Change[] {
  const { wanted, current, options } = comparison;
  const isFromEnvironment = sourceAt(wanted.sources, path) !== null;
  const isSecret = after === SECRET || (isFromEnvironment && isFields(after));
  const servers = (isFromEnvironment && current?.unsealed?.get(path.join("."))) || [];
  const isSentAgain = isFromEnvironment && isSecret && (options.secrets || servers.length > 0);
  // The API does not show what a secret is.
  const isAssumed = after === SECRET && current !== null && before !== undefined;
  if (isFields(after) && isFields(before) && !isSecret) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) =>
      changesOf(fieldOf(before, key), fieldOf(after, key), [...path, key], comparison),
    );
  }
  if ((isAssumed || isSame(before, after)) && !isSentAgain) return [];
  const isSourced = sourcesIn(wanted.sources, path).length > 0;
  const isPlainSecret =
    wanted.kind === "variables" && [before, after].some((value) => looksLikeSecret(path, value));
  return [{ path, before, after, isHidden: isSourced || isPlainSecret, servers }];
}

/** Whether a plain variable is probably a secret, which an export leaves out, too. */
function looksLikeSecret([name = ""]: readonly string[], value: Json | undefined): boolean {
  return typeof value === "string" && value !== SECRET && looksSecret(name, value);
}

/** A short text that changes with everything that a plan depends on. @param url of the installation */
export async function fingerprintOf(
  url: string,
  { wanted, current }: { readonly wanted: State; readonly current: State },
  { prune, secrets }: PlanOptions,
): Promise<string> {
  const itemsOf = (state: State) =>
    kindNames.flatMap((kind: KindName) =>
      // What is not managed may change.
      (wanted.has(kind) ? (state.get(kind) ?? []) : []).map(factsOf).toSorted(),
    );
  const unsealed = (current.get("variables") ?? []).flatMap((item) =>
    [...(item.unsealed ?? [])].map((secret) => JSON.stringify([item.key, secret])),
  );
  const text = JSON.stringify([
    ...[url, prune, secrets, itemsOf(wanted), itemsOf(current)],
    ...(unsealed.length === 0 ? [] : [unsealed.toSorted()]),
  ]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(digest).toString("hex").slice(0, 32);
}

/** What must not change between a plan and its steps. */
export function factsOf({ kind, name, identity, fields, sources, id, mark }: Item): string {
  return stableText([kind, name, identity, fields, Object.fromEntries(sources), id, mark]);
}
