import { sha256 } from "#worker/sha256.ts";

/** SHA-256 of a secret in hex: how secrets are kept, so that nobody who reads the database can use them. */
export async function secretHash(secret: string): Promise<string> {
  return await sha256(secret);
}
