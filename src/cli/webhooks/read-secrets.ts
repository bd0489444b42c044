import type { WebhookKind } from "#contract/endpoints/webhooks/kinds.ts";
import { TargetHeaders } from "#contract/endpoints/webhooks/settings.ts";
import { succeed } from "#contract/lib/result.ts";
import { promptForSecret, readToken } from "#cli/ask.ts";
import type { CommandContext } from "#cli/context.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { readText, readTextFromStdin } from "#cli/variables/read-text.ts";

/** The options for the secrets of a webhook, and where they are read from. */
export const secretOptions = {
  header: {
    kind: "list",
    value: "NAME",
    help: "Header that each request of standard has, such as Authorization; prompts for its value",
  },
  token: { kind: "flag", help: "Send an access token to ntfy; prompts for it" },
  "from-file": {
    kind: "list",
    value: "NAME=PATH",
    help: "Read a secret from a file: url, topic, token, or the value of the header NAME",
  },
  "from-stdin": { kind: "text", value: "NAME", help: "Read this secret from standard input" },
} as const;

export type SecretOptions = {
  readonly header: readonly string[];
  readonly token: boolean;
  readonly "from-file": readonly string[];
  readonly "from-stdin": string | null;
};

type Source =
  | { readonly from: "file"; readonly path: string }
  | { readonly from: "stdin" | "prompt" }
  /** Standard input, or a prompt if that is a terminal. */
  | { readonly from: "either" };

/**
 * The secrets of a webhook. @property main the secret that its kind has in any case; empty if it has none
 * @property others by name: headers of the kind `standard`, the `token` of ntfy
 */
export type WebhookSecrets = {
  readonly main: string;
  readonly others: Readonly<Record<string, string>>;
};

/** The secrets that a webhook of each kind has in any case. */
const required: Readonly<Record<WebhookKind, "url" | "topic" | "token" | null>> = {
  standard: null,
  slack: "url",
  discord: "url",
  teams: "url",
  ntfy: "topic",
  email: null,
  commit_status: "token",
};

/** Reads the secrets of a webhook. Refuses wrong options before any prompt, so that nobody types a secret in vain. */
export async function readSecrets(
  context: CommandContext,
  kind: WebhookKind,
  options: SecretOptions,
): Promise<Result<WebhookSecrets>> {
  const sources = findSources(kind, options);
  if (!sources.ok) return sources;
  let main = "";
  const others: [name: string, value: string][] = [];
  for (const [name, source] of sources.value) {
    const secret = await readSecret(context, kind, name, source);
    if (!secret.ok) return secret;
    const value = secret.value.trim();
    if (name === required[kind]) main = value;
    else others.push([name, value]);
  }
  return succeed({ main, others: Object.fromEntries(others) });
}

function findSources(kind: WebhookKind, options: SecretOptions): Result<ReadonlyMap<string, Source>> {
  if (options.header.length > 0 && kind !== "standard")
    return stop("usage", "Only the kind standard takes --header.");
  if (options.token && kind !== "ntfy" && kind !== "commit_status")
    return stop("usage", "Only the kind ntfy takes --token.");
  const given: [name: string, source: Source][] = [];
  for (const word of options["from-file"]) {
    const [, name, path] = /^([^=]+)=(.+)$/s.exec(word) ?? [];
    if (name === undefined || path === undefined) return stop("usage", "--from-file takes NAME=PATH.");
    given.push([name, { from: "file", path }]);
  }
  const stdin = options["from-stdin"];
  if (stdin !== null) given.push([stdin, { from: "stdin" }]);
  if (new Map(given).size < given.length) return stop("usage", "Pass each secret only once.");
  const main = required[kind];
  // Added first, so that the prompt for it comes first.
  const sources = new Map<string, Source>();
  if (main !== null) sources.set(main, { from: stdin === null ? "either" : "prompt" });
  for (const [name, source] of given) sources.set(name, source);
  for (const name of [...options.header, ...(options.token ? ["token"] : [])])
    if (!sources.has(name)) sources.set(name, { from: "prompt" });
  for (const name of sources.keys()) {
    const problem = nameProblem(kind, name);
    if (problem !== null) return stop("usage", problem);
  }
  return succeed(sources);
}

function nameProblem(kind: WebhookKind, name: string): string | null {
  if (kind !== "standard") {
    const isKnown = name === required[kind] || (kind === "ntfy" && name === "token");
    return isKnown ? null : `The kind ${kind} has no secret of this name.`;
  }
  const [issue] = TargetHeaders.safeParse({ [name]: "value" }).error?.issues ?? [];
  if (issue === undefined) return null;
  // Not quoted: it may be a whole header with its secret.
  return "--header takes only the name of a header, which must not be one of the delivery or of its connection. The command prompts for the value.";
}

async function readSecret(
  context: CommandContext,
  kind: WebhookKind,
  name: string,
  source: Source,
): Promise<Result<string>> {
  const question = questionOf(kind, name);
  switch (source.from) {
    case "file":
      return await readText(context, source.path);
    case "stdin":
      return context.stdin.isTTY
        ? await promptForSecret(context, question)
        : await readTextFromStdin(context);
    case "either":
      return await readToken(context, question);
    case "prompt":
      if (context.stdin.isTTY) return await promptForSecret(context, question);
      return stop(
        "usage",
        `No terminal to ask for ${name}. Pass --from-stdin ${name} or --from-file ${name}=PATH.`,
      );
  }
}

function questionOf(kind: WebhookKind, name: string): string {
  if (kind === "standard") return `Value of ${name}: `;
  if (name === "url") return `URL of the ${kind} webhook: `;
  return name === "topic" ? "Topic: " : "Access token: ";
}
