/** Git's default length. */
const ABBREVIATED = 7;
/** The usual length of a digest of an image. */
const ABBREVIATED_DIGEST = 12;
const SHA256_LENGTH = 64;

/** An abbreviated commit hash, or the beginning of the digest of an image. @param sha a full or abbreviated hash */
export function abbreviateCommit(sha: string): string {
  return sha.slice(0, sha.length === SHA256_LENGTH ? ABBREVIATED_DIGEST : ABBREVIATED);
}
