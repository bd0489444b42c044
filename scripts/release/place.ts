import * as z from "zod";

import { Jurisdiction, Region } from "#contract/regions.ts";

import { Problem } from "../shared/problem.ts";
import { type CloudflareAccount, CloudflareRefusal } from "./cloudflare-account.ts";

/** The regions in which a database can be. Source: Cloudflare's documentation, D1 data location. */
export const DATABASE_LOCATIONS = ["wnam", "enam", "weur", "eeur", "apac", "oc"] as const;
export type DatabaseLocation = (typeof DATABASE_LOCATIONS)[number];

/** Where an installation keeps its data. null: where Cloudflare chooses. */
export type Place = {
  readonly location: Region | null;
  readonly jurisdiction: Jurisdiction | null;
};

/** What `npm run release` was asked for. */
export type WantedPlace = {
  readonly location: DatabaseLocation | null;
  readonly jurisdiction: Jurisdiction | null;
};

const Found = z.object({
  uuid: z.string(),
  name: z.string(),
  jurisdiction: z.string().nullish(),
  /** In capitals. Not in Cloudflare's documentation, so it may be missing. */
  running_in_region: z.string().nullish(),
  read_replication: z.object({ mode: z.string() }).nullish(),
});
export type FoundDatabase = z.infer<typeof Found>;

/** The database of this name; null if the account has none. @throws Problem */
export async function findDatabase(account: CloudflareAccount, name: string): Promise<FoundDatabase | null> {
  const list = `/d1/database?name=${encodeURIComponent(name)}`;
  try {
    const found = await account.call({ method: "GET", path: list }, z.array(Found));
    const listed = found.find((one) => one.name === name);
    if (listed === undefined) return null;
    // The list leaves out some fields.
    return await account.call({ method: "GET", path: `/d1/database/${listed.uuid}` }, Found);
  } catch (error) {
    if (error instanceof CloudflareRefusal)
      throw new Problem(
        `Reading the database's settings failed. Cloudflare says: ${error.message}\nThe token needs permission to edit D1.`,
      );
    throw error;
  }
}

/**
 * Where the installation is or will be. A jurisdiction is part of the ids of all objects, so an installation keeps its
 * database's jurisdiction: with another jurisdiction, all objects would be new and empty.
 * @throws Problem if the installation exists and is asked to change its jurisdiction
 */
export function decidePlace(wanted: WantedPlace, found: FoundDatabase | null): Place {
  if (wanted.location !== null && wanted.jurisdiction !== null)
    throw new Problem("Pass --location or --jurisdiction, not both: a jurisdiction decides the location.");
  if (found === null) return wanted;
  const jurisdiction = z.nullable(Jurisdiction).safeParse(found.jurisdiction ?? null);
  if (!jurisdiction.success)
    throw new Problem(
      `The database is in the jurisdiction ${found.jurisdiction}, which this version does not support.`,
    );
  if (wanted.jurisdiction !== null && wanted.jurisdiction !== jurisdiction.data)
    throw new Problem(
      `The installation ${jurisdiction.data === null ? "has no jurisdiction" : `is in the jurisdiction ${jurisdiction.data}`}, and keeps it: Cloudflare cannot move a database or an object.\nFor one in ${wanted.jurisdiction}, create a second installation (docs/release.md).`,
    );
  const running = Region.safeParse(found.running_in_region?.toLowerCase());
  const location = running.success ? running.data : wanted.location;
  return { location: jurisdiction.data === null ? location : null, jurisdiction: jurisdiction.data };
}

/** Creates the bucket for logs in its region or jurisdiction. An existing one stays where it is. @throws Problem */
export async function createBucket(
  account: CloudflareAccount,
  name: string,
  { location, jurisdiction }: Place,
): Promise<void> {
  // Cloudflare's code for a bucket that the account already has.
  const EXISTS = 10004;
  try {
    await account.call(
      {
        method: "POST",
        path: "/r2/buckets",
        body: { name, ...(location === null ? {} : { locationHint: location }) },
        ...(jurisdiction === null ? {} : { headers: { "cf-r2-jurisdiction": jurisdiction } }),
      },
      z.unknown(),
    );
  } catch (error) {
    if (!(error instanceof CloudflareRefusal)) throw error;
    if (!error.codes.includes(EXISTS))
      throw new Problem(`Creating the bucket ${name} failed. Cloudflare says: ${error.message}`);
  }
}

/** @returns why the replicas are not on, as a sentence; null: they are */
export async function enableReplicas(
  account: CloudflareAccount,
  database: FoundDatabase,
): Promise<string | null> {
  if (database.read_replication?.mode === "auto") return null;
  try {
    await account.call(
      {
        method: "PUT",
        path: `/d1/database/${database.uuid}`,
        body: { read_replication: { mode: "auto" } },
      },
      z.unknown(),
    );
    return null;
  } catch (error) {
    if (error instanceof CloudflareRefusal) return error.message;
    throw error;
  }
}
