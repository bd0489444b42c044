import * as z from "zod";

import { Domain } from "#contract/endpoints/projects/settings.ts";
import { SECURITY_CONTACT } from "#contract/public-paths.ts";
import { Jurisdiction } from "#contract/regions.ts";

import { flag, option, type Script } from "../shared/script.ts";
import { DATABASE_LOCATIONS } from "./place.ts";

const domain = z
  .string()
  .refine((name) => Domain.safeParse(name).success, { error: "must be a name such as gantry.example.com" })
  .nullable()
  .default(null);

const contact = z
  .string()
  .regex(SECURITY_CONTACT, "must be a URI such as mailto:security@example.com")
  .nullable()
  .default(null);

const location = z
  .enum(DATABASE_LOCATIONS, { error: `must be one of ${DATABASE_LOCATIONS.join(", ")}` })
  .nullable()
  .default(null);

const jurisdiction = z
  .string()
  .refine((name) => Jurisdiction.safeParse(name).success, { error: "must be eu or us" })
  .transform((name) => Jurisdiction.parse(name))
  .nullable()
  .default(null);

const options = z.object({
  domain: option(
    "NAME",
    "serve the installation at this domain, such as gantry.example.com, besides its\nworkers.dev address; the zone must be in the same account",
    domain,
  ),
  "base-domain": option(
    "NAME",
    "give a project without a domain of its own the domain <project>.NAME;\nwrangler.toml's by default",
    domain,
  ),
  "security-contact": option(
    "URI",
    "the contact in /.well-known/security.txt, such as mailto:security@example.com;\nwrangler.toml's by default",
    contact,
  ),
  plan: option(
    "PLAN",
    "the account's plan of Cloudflare Workers, free or paid: how large the database\ncan be, and how much one run of the schedule does; wrangler.toml's by default",
    z.enum(["free", "paid"]).nullable().default(null),
  ),
  location: option(
    "REGION",
    "create the database and the bucket in this region, such as weur or enam, instead\nof near you; the first release decides",
    location,
  ),
  jurisdiction: option(
    "NAME",
    "keep the database, the bucket and all objects in the European Union (eu) or the\nUnited States (us); the first release decides",
    jurisdiction,
  ),
  replace: flag("use the domain even if something else uses it: its DNS record is replaced"),
  "no-link": flag("create no sign-in link, for CI jobs whose output others can read"),
  "no-wait": flag("end without waiting until the installation responds"),
});

export type ReleaseOptions = z.output<typeof options>;

export const releaseScript: Script<typeof options> = {
  usage: "npm run release -- [options]",
  summary: `Installs Gantry in your Cloudflare account, or updates it. It is safe to run again at any time.

The account comes from \`npx wrangler login\` or CLOUDFLARE_API_TOKEN. The token needs permission to edit
Workers scripts, D1 and R2 storage, and with --domain the zone's Workers routes and DNS. If you have several
accounts, CLOUDFLARE_ACCOUNT_ID selects one.`,
  options,
};
