/** Bytes that WebCrypto accepts: never in memory that several threads share. */
export type Bytes = Uint8Array<ArrayBuffer>;

export function concatenate(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function bytesOf(text: string): Bytes {
  return new Uint8Array(new TextEncoder().encode(text));
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Two hexadecimal digits for each byte. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += HEX[byte] ?? "";
  return text;
}

/** SHA-256 in hex. A text is hashed as UTF-8. */
export async function sha256(data: string | Bytes): Promise<string> {
  const bytes = typeof data === "string" ? bytesOf(data) : data;
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** Base64 with padding. Source: RFC 4648 section 4. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCodePoint(byte);
  return btoa(binary);
}

/** @throws if the text is not base64 */
export function fromBase64(text: string): Bytes {
  return Uint8Array.from(atob(text), (character) => character.codePointAt(0) ?? 0);
}

/** Base64 for URLs, without padding. Source: RFC 4648 section 5. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @returns null if the text is not base64url */
export function fromBase64Url(text: string): Bytes | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null;
  return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}
