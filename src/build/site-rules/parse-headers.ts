import {
  quoted,
  type Read,
  readRuleLines,
  refusedRule,
  type RuleProblem,
} from "#build/site-rules/rule-lines.ts";
import { type HeaderRule, MAX_HEADER_RULES } from "#build/site-rules/rule-schemas.ts";
import { readSource } from "#build/site-rules/rule-source.ts";

export type ParsedHeaders = {
  readonly rules: readonly HeaderRule[];
  readonly problems: readonly RuleProblem[];
};

/** Headers that the ingress sets, or that would break its answers. */
const owned = new Set([
  ...["accept-ranges", "age", "allow", "alt-svc", "connection", "content-encoding", "content-length"],
  ...["content-range", "date", "etag", "gantry-release", "keep-alive", "last-modified", "proxy-authenticate"],
  ...["proxy-connection", "server", "te", "trailer", "transfer-encoding", "upgrade", "via"],
]);

/** Why other headers are not set. */
const refusals: ReadonlyMap<string, string> = new Map([
  ["location", "Redirects are in _redirects."],
  ["set-cookie", "A static file is the same for every visitor, so it cannot set cookies."],
  ["basic-auth", "Gantry protects no page with a password, so these pages are public."],
]);

/** Web servers before the ingress obey these headers, and send other files of the server instead of the answer. */
const INTERNAL = /^x-(?:accel-|sendfile|lighttpd-send-?file|reproxy-url)/;

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/**
 * Reads a file `_headers`. Each line that is not empty or a comment is part of a rule or of a problem. Never throws.
 * Sources: docs.netlify.com/manage/routing/headers, developers.cloudflare.com/pages/configuration/headers
 */
export function parseHeaders(file: Uint8Array): ParsedHeaders {
  const { lines, problems } = readRuleLines(file);
  const rules: HeaderRule[] = [];
  /** The rule whose headers follow. A path that is not used has a problem, and its headers have none. */
  let rule: HeaderRule | "not used" | null = null;
  let ruleLine = 0;
  let unused: { readonly line: number; more: number } | null = null;

  const end = (): void => {
    if (rule === null || rule === "not used") return;
    if (rule.set.length > 0 || rule.unset.length > 0) rules.push(rule);
    else problems.push({ line: ruleLine, reason: "The path has no headers that are used." });
  };
  for (const { number: line, text } of lines) {
    if (isPath(text)) {
      end();
      ruleLine = line;
      const read = readPath(text);
      if (!read.ok) {
        problems.push({ line, reason: read.reason });
        rule = "not used";
      } else if (rules.length >= MAX_HEADER_RULES) {
        if (unused === null) unused = { line, more: 0 };
        else unused.more += 1;
        rule = "not used";
      } else rule = read.value;
      continue;
    }
    if (rule === "not used") continue;
    if (rule === null) {
      problems.push({
        line,
        reason: `A path must come before ${quoted(text.split(":", 1).join(""))}. It begins with / or https://.`,
      });
      continue;
    }
    const added = addLine(rule, text);
    if (!added.ok) problems.push({ line, reason: added.reason });
  }
  end();
  if (unused !== null)
    problems.push({
      line: unused.line,
      reason: `A site can have ${MAX_HEADER_RULES} paths with headers. This one${unused.more === 0 ? " is" : ` and ${unused.more} more are`} not used.`,
    });
  return { rules, problems: problems.toSorted((a, b) => a.line - b.line) };
}

/**
 * Whether a line is meant as a path. "*.js" without a slash is frequent: as a header of the path before, what follows would
 * be set for other files.
 */
function isPath(text: string): boolean {
  if (text.startsWith("/") || /^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return true;
  return !/[:!\s]/.test(text);
}

function readPath(text: string): Read<HeaderRule> {
  const [path = "", comment] = text.split(/\s+/);
  if (comment !== undefined && !comment.startsWith("#"))
    return refusedRule(
      `The path ${quoted(text)} contains a space. Write it as %20. The headers below it are not used.`,
    );
  const source = readSource(path);
  if (!source.ok) return refusedRule(`${source.reason} The headers below it are not used.`);
  return { ok: true, value: { ...source.value, unset: [], set: [] } };
}

/** Reads "Name: value" or "! Name" into a rule. */
function addLine(rule: HeaderRule, text: string): Read<null> {
  const removed = /^!\s+(\S+)$/.exec(text)?.[1]?.toLowerCase();
  if (removed !== undefined) {
    const reason = refusalOf(removed);
    if (reason !== null) return refusedRule(reason);
    rule.unset.push(removed);
    return { ok: true, value: null };
  }
  const colon = text.indexOf(":");
  if (colon === -1) return refusedRule(`${quoted(text)} must be a header such as "X-Frame-Options: DENY".`);
  const name = text.slice(0, colon).trim().toLowerCase();
  const value = text.slice(colon + 1).trim();
  const reason = refusalOf(name);
  if (reason !== null) return refusedRule(reason);
  if (value === "") return refusedRule(`The header ${name} has no value.`);
  const at = rule.set.findIndex(([known]) => known === name);
  const earlier = rule.set[at];
  if (earlier === undefined) rule.set.push([name, value]);
  else rule.set[at] = [name, `${earlier[1]}, ${value}`];
  return { ok: true, value: null };
}

function refusalOf(name: string): string | null {
  if (!NAME.test(name)) return `${quoted(name)} is no name of a header.`;
  const reason = refusals.get(name);
  if (reason !== undefined) return `${name} cannot be set here. ${reason}`;
  if (owned.has(name) || name.startsWith("access-control-request-"))
    return `${name} is set by the web server alone.`;
  if (INTERNAL.test(name)) return `${name} is an instruction for a web server, and cannot be set here.`;
  return null;
}
