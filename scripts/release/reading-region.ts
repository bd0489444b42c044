import { Health } from "#contract/endpoints/accounts/schemas.ts";

const TIMEOUT_MS = 5_000;

/** The copy of the database that an installation reads for requests from here; null: unknown. @param url without a slash at the end */
export async function readingRegion(url: string): Promise<Health["database"] | null> {
  try {
    const response = await fetch(`${url}/healthz?deep=true`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return Health.parse(await response.json()).database ?? null;
  } catch {
    return null;
  }
}

/** As a sentence. */
export function describeReading(database: Health["database"] | null): string {
  if (database === null || database === undefined || database.region === null)
    return "The installation does not say which copy of the database it reads";
  return `Reads from here are served by the ${database.primary ? "database itself" : "replica"} in ${database.region}`;
}
