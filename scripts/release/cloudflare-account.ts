import * as z from "zod";

import { Problem } from "../shared/problem.ts";
import { readJsonOutput } from "../shared/read-json-output.ts";
import { quietWrangler, runCommand } from "../shared/run-command.ts";

const DEFAULT_API = "https://api.cloudflare.com/client/v4";
const TIMEOUT_MS = 30_000;

/** What `wrangler auth token --json` prints. */
const Credentials = z.union([
  z.object({ token: z.string() }),
  z.object({ key: z.string(), email: z.string() }),
]);

const Answer = z.object({
  success: z.boolean(),
  result: z.unknown(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })).default([]),
});

const Accounts = z.array(z.object({ id: z.string() }));

type Call = {
  readonly method: "GET" | "POST" | "PUT";
  /** After the account, such as `/d1/database`. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Cloudflare refused a request, or could not be reached. */
export class CloudflareRefusal extends Error {
  readonly codes: readonly number[];

  constructor(message: string, codes: readonly number[]) {
    super(message);
    this.codes = codes;
  }
}

/** The account that wrangler uses too, for actions without a command of wrangler. */
export class CloudflareAccount {
  readonly #headers: Readonly<Record<string, string>>;
  readonly #account: string;

  private constructor(headers: Readonly<Record<string, string>>, account: string) {
    this.#headers = headers;
    this.#account = account;
  }

  /** @param configured wrangler.toml's `account_id` @throws Problem, which says how to sign in or to choose an account */
  static async connect(configured: string | undefined): Promise<CloudflareAccount> {
    const headers = await readCredentials();
    const chosen = configured ?? process.env["CLOUDFLARE_ACCOUNT_ID"];
    return new CloudflareAccount(headers, chosen ?? (await findOnlyAccount(headers)));
  }

  /** @returns the result, parsed @throws CloudflareRefusal */
  async call<Schema extends z.ZodType>(call: Call, schema: Schema): Promise<z.output<Schema>> {
    const path = `/accounts/${this.#account}${call.path}`;
    return await request({ ...call, path, headers: { ...this.#headers, ...call.headers } }, schema);
  }
}

async function readCredentials(): Promise<Record<string, string>> {
  const token = process.env["CLOUDFLARE_API_TOKEN"];
  // wrangler takes a second to start.
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  const { code, output, stdout } = await runCommand(["wrangler", "auth", "token", "--json"], {
    env: quietWrangler,
  });
  if (code !== 0)
    throw new Problem(
      `wrangler has no credentials. Sign in to Cloudflare: npx wrangler login. Or set CLOUDFLARE_API_TOKEN.\nwrangler says:\n${output.trim()}`,
    );
  const found = readJsonOutput(stdout, Credentials);
  return "token" in found
    ? { authorization: `Bearer ${found.token}` }
    : { "x-auth-key": found.key, "x-auth-email": found.email };
}

async function findOnlyAccount(headers: Readonly<Record<string, string>>): Promise<string> {
  const accounts = await request({ method: "GET", path: "/accounts", headers }, Accounts).catch(
    (error: unknown) => {
      throw error instanceof CloudflareRefusal
        ? new Problem(`Cloudflare does not list your accounts: ${error.message}`)
        : error;
    },
  );
  const [only, ...others] = accounts;
  if (only === undefined || others.length > 0)
    throw new Problem(
      `You have ${accounts.length} Cloudflare accounts. Set CLOUDFLARE_ACCOUNT_ID to the id of the account to use.`,
    );
  return only.id;
}

async function request<Schema extends z.ZodType>(
  { method, path, body, headers }: Call,
  schema: Schema,
): Promise<z.output<Schema>> {
  const base = process.env["CLOUDFLARE_API_BASE_URL"] ?? DEFAULT_API;
  try {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer = Answer.parse(await response.json());
    if (answer.success) return schema.parse(answer.result);
    const { errors } = answer;
    const said = errors.map(({ code, message }) => `${message} (${code})`).join("; ");
    throw new CloudflareRefusal(
      said === "" ? `status ${response.status}` : said,
      errors.map(({ code }) => code),
    );
  } catch (error) {
    if (error instanceof CloudflareRefusal) throw error;
    throw new CloudflareRefusal(`${method} ${path}: ${String(error)}`, []);
  }
}
