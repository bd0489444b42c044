import * as z from "zod/mini";

import { textLike } from "#contract/bounds.ts";

/** Base64url without padding, of this many characters. */
export const base64url = (least: number, most: number) =>
  textLike(new RegExp(`^[A-Za-z0-9_-]{${least},${most}}$`));

/** 16 bytes. */
export const Fingerprint = base64url(22, 22);

/** The public key of a server for which secrets are sealed: 32 bytes. */
export const SealKey = z.strictObject({ public_key: base64url(43, 43), fingerprint: Fingerprint });
export type SealKey = z.infer<typeof SealKey>;
