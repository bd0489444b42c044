import { parseArgs } from "node:util";

import { Domain } from "#contract/endpoints/projects/schemas.ts";
import { SECURITY_CONTACT } from "#contract/security-text.ts";

import type { OptionsRead } from "../shared/options-read.ts";
import { messageOf } from "../shared/problem.ts";

export type ReleaseOptions = {
  /** Where it is to be reached besides its address at workers.dev; `null`: only there. */
  readonly domain: string | null;
  /** What the domain of a project ends in that has none of its own; `null`: as wrangler.toml says. */
  readonly baseDomain: string | null;
  /** Whom `/.well-known/security.txt` names; `null`: as wrangler.toml says. */
  readonly securityContact: string | null;
  /** Whether the domain may be taken from what it belongs to now. */
  readonly replaces: boolean;
  /** Whether a link is made that signs in to the dashboard: whoever reads it first is in. */
  readonly makesLink: boolean;
  /** Whether it ends only when the installation answers. */
  readonly waits: boolean;
};

export const RELEASE_HELP = `npm run release -- [options]

Installs Gantry in your own Cloudflare account, or updates what is there. Everything may be done again at any time.

  --domain NAME       where it is reached, such as gantry.example.com; the zone must be in the same account.
                      An address at workers.dev without it
  --base-domain NAME  projects without a domain of their own are known as <name>.NAME
  --security-contact URI
                      whom /.well-known/security.txt names, such as mailto:security@example.com
  --replace           takes the domain although something else has it: its DNS record is replaced
  --no-link           makes no link to sign in, as others may read a CI job's output
  --no-wait           ends without waiting until it answers

The account is that of \`npx wrangler login\`, or of CLOUDFLARE_API_TOKEN (which may edit Workers scripts, D1 and
R2 storage, and with --domain the zone's Workers routes and DNS). CLOUDFLARE_ACCOUNT_ID chooses one of several.`;

export function readReleaseOptions(argv: readonly string[]): OptionsRead<ReleaseOptions> {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        domain: { type: "string" },
        "base-domain": { type: "string" },
        "security-contact": { type: "string" },
        replace: { type: "boolean", default: false },
        "no-link": { type: "boolean", default: false },
        "no-wait": { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) return { kind: "help" };
    for (const option of ["domain", "base-domain"] as const) {
      const value = values[option];
      if (value !== undefined && !Domain.safeParse(value).success)
        return {
          kind: "wrong",
          message: `--${option} must be a name such as gantry.example.com, not ${value}`,
        };
    }
    const contact = values["security-contact"];
    if (contact !== undefined && !SECURITY_CONTACT.test(contact))
      return {
        kind: "wrong",
        message: `--security-contact must be a URI such as mailto:security@example.com, not ${contact}`,
      };
    return {
      kind: "read",
      options: {
        domain: values.domain ?? null,
        baseDomain: values["base-domain"] ?? null,
        securityContact: contact ?? null,
        replaces: values.replace,
        makesLink: !values["no-link"],
        waits: !values["no-wait"],
      },
    };
  } catch (error) {
    return { kind: "wrong", message: messageOf(error) };
  }
}
