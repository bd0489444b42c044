import {
  encodeTarget,
  fillIn,
  namesIn,
  pathPattern,
  respell,
  splatPlaceIn,
  usesAny,
  withoutNames,
} from "#build/site-rules/path-pattern.ts";
import {
  quoted,
  type Read,
  readRuleLines,
  refusedRule,
  type RuleProblem,
} from "#build/site-rules/rule-lines.ts";
import {
  isShown,
  MAX_DYNAMIC_REDIRECTS,
  MAX_STATIC_REDIRECTS,
  type RedirectRule,
  redirectStatuses,
} from "#build/site-rules/rule-schemas.ts";
import { parseOrigin, readSource } from "#build/site-rules/rule-source.ts";

/** `lines`: the number of the line of each rule. */
export type ParsedRedirects = {
  readonly rules: readonly RedirectRule[];
  readonly lines: readonly number[];
  readonly problems: readonly RuleProblem[];
};

/** As at Netlify, a redirect is permanent if the line has no status. */
const DEFAULT_STATUS = 301;
const STATUS = /^(\d{3})(!?)$/;
/** What a rule of Netlify can depend on besides. */
const CONDITION = /^(?:country|language|role|cookie|sign|signed)=/i;
const MAX_PARAMETERS = 5;
const NO_TARGET =
  "The line has no target. Write where the path leads, such as /new or https://example.com/new.";

/**
 * Reads a file `_redirects`. Each line that is not empty or a comment is a rule, says the same as one, or is a problem. Never
 * throws.
 * Sources: docs.netlify.com/manage/routing/redirects, developers.cloudflare.com/pages/configuration/redirects
 */
export function parseRedirects(file: Uint8Array): ParsedRedirects {
  const { lines, problems } = readRuleLines(file);
  const used: { line: number; rule: RedirectRule }[] = [];
  const counts = { static: 0, dynamic: 0 };
  const unused = { static: [] as number[], dynamic: [] as number[] };
  const first = new Map<string, { line: number; rule: RedirectRule }>();
  const wide: { line: number; rule: RedirectRule; matches: (other: RedirectRule) => boolean }[] = [];
  for (const { number: line, text } of lines) {
    const read = readLine(text);
    if (!read.ok) {
      problems.push({ line, reason: read.reason });
      continue;
    }
    const rule = read.value;
    const kind = namesIn(rule.from).length > 0 || rule.query !== undefined ? "dynamic" : "static";
    if (counts[kind] >= limits[kind]) {
      unused[kind].push(line);
      continue;
    }
    const earlier = first.get(keyOf(rule)) ?? wide.find(({ matches }) => matches(rule));
    if (earlier !== undefined) {
      // Often there is a line with a slash at the end too.
      if (!isSame(earlier.rule, rule))
        problems.push({
          line,
          reason: `The line is never reached, because line ${earlier.line} is for the same requests.`,
        });
      continue;
    }
    counts[kind] += 1;
    first.set(keyOf(rule), { line, rule });
    const matches = requestsOf(rule);
    if (matches !== null) wide.push({ line, rule, matches });
    used.push({ line, rule });
  }
  problems.push(...tooMany("static", unused.static), ...tooMany("dynamic", unused.dynamic));
  return {
    rules: used.map(({ rule }) => rule),
    lines: used.map(({ line }) => line),
    problems: problems.toSorted((a, b) => a.line - b.line),
  };
}

const limits = { static: MAX_STATIC_REDIRECTS, dynamic: MAX_DYNAMIC_REDIRECTS } as const;

function tooMany(kind: keyof typeof limits, [line, ...others]: readonly number[]): RuleProblem[] {
  if (line === undefined) return [];
  const what = kind === "static" ? "without * and placeholders" : "with *, placeholders or parameters";
  const which = others.length === 0 ? "This line is" : `This line and ${others.length} more are`;
  return [{ line, reason: `A site can have ${limits[kind]} redirects ${what}. ${which} not used.` }];
}

/** Rules with an equal key match the same requests, so only the first of them is ever applied. */
function keyOf({ host, from, query }: RedirectRule): string {
  const parameters = query?.map(([name, value]) => `${name}=${withoutNames(value)}`).toSorted();
  return JSON.stringify([host, withoutNames(from), parameters]);
}

function isSame(one: RedirectRule, other: RedirectRule): boolean {
  const resultOf = ({ to, status, force }: RedirectRule) => JSON.stringify([to, status, force]);
  return keyOf(one) === keyOf(other) && resultOf(one) === resultOf(other);
}

/**
 * Whether a rule such as /blog/* matches each request for another one. Not by its expression, because thousands of lines
 * would take seconds. @returns null for other rules
 */
function requestsOf({ host, from, to, query }: RedirectRule): ((other: RedirectRule) => boolean) | null {
  if (query !== undefined || !from.endsWith("/*") || namesIn(from).length > 1) return null;
  const folder = from.slice(0, -1);
  const target = pathIn(to);
  return (other) => {
    // A rule does not count for its own target.
    if ((host !== undefined && host !== other.host) || target === other.from) return false;
    return other.from.startsWith(folder) && (from === "/*" || namesIn(other.from).length === 0);
  };
}

/** A line is: path [name=value …] [target] [status[!]] [# comment] */
function readLine(text: string): Read<RedirectRule> {
  const all = text.split(/\s+/);
  const comment = all.findIndex((word) => word.startsWith("#"));
  const [first = "", ...words] = comment === -1 ? all : all.slice(0, comment);
  const source = readSource(first);
  if (!source.ok) return source;
  const { host, from } = source.value;

  const targetAt = words.findIndex((word) => isTarget(word) || STATUS.test(word));
  if (targetAt === -1) return refusedRule(withoutTarget(words));
  const query = readParameters(words.slice(0, targetAt));
  if (!query.ok) return query;
  const names = [...namesIn(from), ...query.value.flatMap(([, value]) => namesIn(value))];
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return refusedRule(`The placeholder :${twice} is there twice.`);

  // "/app/* 200": the files of the folder, and no later rule.
  const isOmitted = STATUS.test(words[targetAt] ?? "");
  const status = readStatus(words.slice(isOmitted ? targetAt : targetAt + 1));
  if (!status.ok) return status;
  if (isOmitted && (status.value.status !== 200 || !from.endsWith("/*"))) return refusedRule(NO_TARGET);
  const target = readTarget(isOmitted ? from.replace("*", ":splat") : (words[targetAt] ?? ""), names);
  if (!target.ok) return target;

  const rule: RedirectRule = {
    ...(host === undefined ? {} : { host }),
    from,
    ...(query.value.length === 0 ? {} : { query: query.value }),
    to: target.value,
    ...status.value,
  };
  const reason = contradiction(rule);
  return reason === null ? { ok: true, value: rule } : refusedRule(reason);
}

function isTarget(word: string): boolean {
  return word.startsWith("/") || /^https?:\/\//i.test(word);
}

function withoutTarget(words: readonly string[]): string {
  const target = words.find((word) => !/^[\w.-]+=/.test(word));
  return target === undefined
    ? NO_TARGET
    : `The target ${quoted(target)} must begin with /, https:// or http://.`;
}

function readParameters(words: readonly string[]): Read<[string, string][]> {
  if (words.length > MAX_PARAMETERS) return refusedRule(`A line can have ${MAX_PARAMETERS} parameters.`);
  const parameters: [string, string][] = [];
  for (const word of words) {
    const [, name, value] = /^([\w.~-]+)=(:[A-Za-z]\w*|[\w.~%+,-]+)$/.exec(word) ?? [];
    if (name === undefined || value === undefined)
      return refusedRule(
        `${quoted(word)} is neither a target, which begins with / or https://, nor a parameter, such as id=7 or id=:id.`,
      );
    parameters.push([name, value]);
  }
  return { ok: true, value: parameters };
}

function readStatus(words: readonly string[]): Read<Pick<RedirectRule, "status" | "force">> {
  const condition = words.find((word) => CONDITION.test(word));
  if (condition !== undefined)
    return refusedRule(
      `Gantry has no condition ${condition.split("=", 1).join("")}, so the line is not used.`,
    );
  const [word, ...others] = words;
  if (word === undefined) return { ok: true, value: { status: DEFAULT_STATUS } };
  const [, digits, mark] = STATUS.exec(word) ?? [];
  const status = redirectStatuses.find((one) => String(one) === digits);
  if (status === undefined)
    return refusedRule(
      `The status ${quoted(word)} must be one of ${redirectStatuses.join(", ")}, with or without a !.`,
    );
  if (others.length > 0) return refusedRule(`${quoted(others.join(" "))} after the status has no meaning.`);
  return { ok: true, value: mark === "!" ? { status, force: true } : { status } };
}

function readTarget(word: string, names: readonly string[]): Read<string> {
  if (usesAny(word, ["splat"]) && !names.includes("splat"))
    return refusedRule("The target has :splat, but the path has no *.");
  if (word.startsWith("//"))
    return refusedRule(
      `The target ${quoted(word)} begins with two slashes. Write https:// before another host.`,
    );
  if (word.startsWith("/")) return { ok: true, value: encodeTarget(word) };
  const [, scheme = "", authority = "", path = ""] = /^(https?:\/\/)([^/?#]*)(.*)$/i.exec(word) ?? [];
  if (usesAny(authority, names))
    return refusedRule("The host of the target has a placeholder: a link could lead visitors to any host.");
  const origin = parseOrigin(`${scheme}${authority}`);
  if (origin === null) return refusedRule(`The target ${quoted(word)} is no valid address.`);
  const { protocol, username, password, host } = origin;
  if (username !== "" || password !== "")
    return refusedRule("The target must not contain a user name or password.");
  return { ok: true, value: `${protocol}//${host}${encodeTarget(path)}` };
}

/** Why a rule cannot be applied. */
function contradiction(rule: RedirectRule): string | null {
  const isOwn = rule.to.startsWith("/");
  if (isShown(rule.status) && !isOwn)
    return `With the status ${rule.status} the target must be a page of this site. Gantry does not fetch from other hosts.`;
  if (/^\/\.netlify(?:\/|$)/.test(rule.to)) return "Gantry has no functions of Netlify.";
  if (isShown(rule.status) || !isOwn || !hasSamePath(rule)) return null;
  if (rule.query !== undefined && rule.to.includes("?")) return null;
  return "The path leads to itself. Whether it ends with a slash is decided by the setting trailing_slash.";
}

/** The expression for the path of a request. */
export function redirectPattern({ from, to }: Pick<RedirectRule, "from" | "to">): string {
  return pathPattern(from, "encoded", splatPlaceIn(to)).source;
}

/** Whether a redirect changes nothing but the host, the query or a slash at the end. */
export function hasSamePath({ from, to }: Pick<RedirectRule, "from" | "to">): boolean {
  return fillIn(pathIn(to), ["splat"], () => "*") === from;
}

/** The path of a target in the spelling of requests, without a slash at the end. */
export function pathIn(to: string): string {
  const path = to.replace(/^https?:\/\/[^/?#]*/, "").replace(/[?#].*$/, "");
  const trimmed = path.replace(/(?<=.)\/$/, "");
  return trimmed === "" ? "/" : (respell(trimmed) ?? trimmed);
}
