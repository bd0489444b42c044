import { tokens } from "#worker/db/schema.ts";

/** The fields of a TokenReading. */
export const tokenFields = {
  id: tokens.id,
  kind: tokens.kind,
  name: tokens.name,
  scopes: tokens.scopes,
  projectIds: tokens.projectIds,
  createdAt: tokens.createdAt,
  rotatedAt: tokens.rotatedAt,
  expiresAt: tokens.expiresAt,
  previousExpiresAt: tokens.previousExpiresAt,
  lastUsedAt: tokens.lastUsedAt,
};

/** A token without the hashes of its secrets. Times are Unix milliseconds. */
export type TokenReading = Pick<typeof tokens.$inferSelect, keyof typeof tokenFields>;
