/** In ASCII order. */
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The kind of a secret. The prefixes cannot be confused, because the characters after them do not include `_`. */
export type TokenKind =
  | "api"
  | "session"
  | "exchange"
  | "agent"
  | "enrollment"
  | "sign_in"
  | "invitation"
  | "recovery";
const prefixes: Record<TokenKind, string> = {
  api: "gantry_",
  session: "gantry_session_",
  exchange: "gantry_job_",
  agent: "gantry_agent_",
  enrollment: "gantry_enroll_",
  sign_in: "gantry_signin_",
  invitation: "gantry_invite_",
  recovery: "gantry_recover_",
};

/** The number of random characters: 62^30 is more than 178 bits. */
const RANDOM_LENGTH = 30;
/** 62^6 is the smallest power of 62 that holds 32 bits. */
const CHECKSUM_LENGTH = 6;

const RANDOM = new RegExp(`^[0-9A-Za-z]{${RANDOM_LENGTH}}$`);
const RANDOM_AND_CHECKSUM = new RegExp(`^([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/**
 * Builds a token from 30 random base62 characters. The prefix and the checksum make leaked tokens easy to detect.
 * @throws RangeError when `random` is not 30 base62 characters
 */
export function formToken(random: string, kind: TokenKind = "api"): string {
  if (!RANDOM.test(random)) throw new RangeError(`A token needs ${RANDOM_LENGTH} base62 characters.`);
  return `${prefixes[kind]}${random}${checksum(random)}`;
}

/** Whether a text has the form of a token and a correct checksum. A typing error is found without a database query. */
export function isWellFormedToken(text: string, kind: TokenKind = "api"): boolean {
  if (!text.startsWith(prefixes[kind])) return false;
  const [, random, sum] = RANDOM_AND_CHECKSUM.exec(text.slice(prefixes[kind].length)) ?? [];
  return random !== undefined && sum === checksum(random);
}

/**
 * Returns 30 random base62 characters, each equally likely.
 * @param randomBytes returns random bytes, for example from crypto.getRandomValues
 */
export function randomTokenCharacters(randomBytes: (count: number) => Uint8Array): string {
  let characters = "";
  while (characters.length < RANDOM_LENGTH)
    for (const byte of randomBytes(RANDOM_LENGTH)) {
      // 248 is the largest multiple of 62 in a byte. Larger bytes would make the first characters more likely.
      if (byte < 248 && characters.length < RANDOM_LENGTH) characters += BASE62[byte % 62];
    }
  return characters;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = (BASE62[rest % 62] ?? "") + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** CRC-32 as in ISO 3309 and zip (reflected, polynomial 0xedb88320), of ASCII text. */
function crc32(text: string): number {
  let crc = 0xffff_ffff;
  for (let at = 0; at < text.length; at += 1) {
    crc ^= text.charCodeAt(at);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
  }
  return (crc ^ 0xffff_ffff) >>> 0;
}
