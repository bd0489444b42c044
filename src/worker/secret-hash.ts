import { sha256 } from "#worker/sha256.ts";

/** SHA-256 of a secret in hex. The database contains only this hash, so a reader of it cannot use the secret. */
export async function secretHash(secret: string): Promise<string> {
  return await sha256(secret);
}
