import type { ProjectId } from "#contract/ids.ts";
import { type Bytes, bytesOf, fromBase64Url, toBase64Url } from "#sealing/bytes.ts";
import { type KeyPair, open, seal, type SealContext } from "#sealing/hpke.ts";
import { fingerprintOf } from "#sealing/secret-box.ts";

/** What an artifact's key belongs to. Its box opens only with the same values. */
export type ArtifactPlace = { readonly projectId: ProjectId; readonly sha256: string };

/** Another `info` than the boxes of secrets have, so that neither passes as the other. */
const INFO = bytesOf("gantry artifact, version 1");

/** The bytes of the key of an artifact, for AES-256. */
export const ARTIFACT_KEY_BYTES = 32;

/**
 * Seals the key of an artifact for servers.
 * @param publicKeys the servers' seal keys, in base64url; a key that several servers have gets one box
 * @returns the boxes by the fingerprints of the keys; null if one of them is not an X25519 key
 */
export async function sealArtifactKey(
  publicKeys: readonly string[],
  place: ArtifactPlace,
  key: Bytes,
): Promise<Record<string, string> | null> {
  const boxes: Record<string, string> = {};
  for (const text of new Set(publicKeys)) {
    const publicKey = fromBase64Url(text);
    if (publicKey === null) return null;
    try {
      const box = await seal(publicKey, await contextOf(place, publicKey), key);
      boxes[await fingerprintOf(publicKey)] = toBase64Url(box);
    } catch {
      return null;
    }
  }
  return boxes;
}

/** @returns null if the box was sealed for another server or another artifact, or was changed */
export async function openArtifactKey(
  keys: KeyPair,
  place: ArtifactPlace,
  box: string,
): Promise<Bytes | null> {
  const bytes = fromBase64Url(box);
  const key = bytes === null ? null : await open(keys, await contextOf(place, keys.publicKey), bytes);
  return key?.length === ARTIFACT_KEY_BYTES ? key : null;
}

/** None of the parts contains a NUL, so no two places have the same data. */
async function contextOf({ projectId, sha256 }: ArtifactPlace, publicKey: Bytes): Promise<SealContext> {
  return { info: INFO, aad: bytesOf([projectId, sha256, await fingerprintOf(publicKey)].join("\0")) };
}
