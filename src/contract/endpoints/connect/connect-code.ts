/** Source: RFC 4648 section 5. */
const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** Crockford's base32: without letters that look like digits. */
const BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The length of the code, without the hyphen in its middle. */
const CODE_LENGTH = 8;

/** A verifier, a challenge or a proof: 32 bytes in base64url. */
export const THIRTY_TWO_BYTES = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/**
 * The code that a command shows and its person types on the page: the first 40 bits of the challenge, as `K7QM-2XPD`. It proves that
 * the person sees the terminal that asks.
 * @param challenge must match THIRTY_TWO_BYTES
 */
export function connectCode(challenge: string): string {
  let code = "";
  let value = 0;
  let bits = 0;
  for (const character of challenge) {
    if (code.length === CODE_LENGTH) break;
    value = (value << 6) | BASE64URL.indexOf(character);
    bits += 6;
    for (; bits >= 5 && code.length < CODE_LENGTH; bits -= 5)
      code += BASE32[(value >>> (bits - 5)) & 31] ?? "";
    value &= 31;
  }
  return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
}

/** Whether a typed text is the code: in either case, with or without the hyphen, and with letters that look like digits. */
export function isConnectCode(typed: string, challenge: string): boolean {
  return plain(typed) === plain(connectCode(challenge));
}

function plain(text: string): string {
  return text.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1");
}
