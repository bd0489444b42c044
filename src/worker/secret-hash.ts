import { sha256 } from "#sealing/bytes.ts";

/** The hash of a token or code in the database. Only the hash is stored, so a reader of the database cannot use it. */
export const secretHash = sha256;
