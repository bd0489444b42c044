import type { Delivery } from "#domain/pushes/delivery.ts";
import { commitOrNull, type Push } from "#domain/pushes/push.ts";

/** The lines of a report: their texts, by their first word and their subject. */
type Lines = ReadonlyMap<string, readonly string[]>;

/** The words of lines about a commit or a range of commits, which is their second word. */
const aboutCommits: ReadonlySet<string> = new Set(["message", "path", "paths"]);

/**
 * Reads the report of Gantry's `post-receive`: lines such as `push <before> <after> <ref>`. `message <after> …` has the
 * message of a commit without line breaks. Each `path <before>..<after> …` has a changed file, and `paths` their number:
 * without it, not all are listed.
 * @param event header `X-Gantry-Event`
 */
export function readGit(event: string, body: unknown): Delivery {
  if (event === "ping") return { kind: "ping" };
  if (event !== "push") return { kind: "other" };
  if (typeof body !== "string") return { kind: "malformed", field: null };
  const lines = linesOf(body);
  const [repository = ""] = lines.get("repository") ?? [];
  if (repository === "") return { kind: "malformed", field: "repository" };
  const written = lines.get("push") ?? [];
  const pushes = written.flatMap((line) => readPush(line, lines) ?? []);
  return pushes.length === written.length
    ? { kind: "pushes", repository, pushes }
    : { kind: "malformed", field: "push" };
}

function linesOf(body: string): Lines {
  const lines = new Map<string, string[]>();
  for (const line of body.split("\n")) {
    const [word, rest] = cut(line);
    const [about, text] = cut(rest);
    const [key, value] = aboutCommits.has(word) ? [`${word} ${about}`, text] : [word, rest];
    const known = lines.get(key);
    if (known === undefined) lines.set(key, [value]);
    else known.push(value);
  }
  return lines;
}

/** The text before the first space, and the text after it. */
function cut(text: string): readonly [string, string] {
  const at = text.indexOf(" ");
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** The push of a line; null if the line has not three parts. */
function readPush(line: string, lines: Lines): Push | null {
  const [before, rest] = cut(line);
  const [after, ref] = cut(rest);
  if (ref === "") return null;
  const [pusher = ""] = lines.get("pusher") ?? [];
  const [message = null] = lines.get(`message ${after}`) ?? [];
  const paths = lines.get(`path ${before}..${after}`) ?? [];
  const [count] = lines.get(`paths ${before}..${after}`) ?? [];
  // git writes a name with special characters in quotes.
  const isListed = count === String(paths.length) && !paths.some((path) => path.startsWith('"'));
  return {
    ref,
    before: commitOrNull(before),
    after: commitOrNull(after),
    message,
    pusher: pusher === "" ? null : pusher,
    paths: isListed ? paths : null,
  };
}
