// File names on Linux are bytes, and a build may have names that are not UTF-8. Here a name is a text with one character for
// each byte (latin1), so that it can be compared and joined as a text, and loses nothing.

/** A file name or path, one character for each byte. */
export type ByteText = string;

/** The bytes of a name, and the name of bytes. */
export const toBytes = (text: ByteText): Buffer => Buffer.from(text, "latin1");
export const fromBytes = (bytes: Buffer): ByteText => bytes.toString("latin1");
/** For a path of this machine that is given as a text. */
export const byteTextOf = (text: string): ByteText => fromBytes(Buffer.from(text));

const LONGEST_SHOWN = 200;

/** The name for a message: as UTF-8, shortened. */
export function shown(text: ByteText): string {
  const name = toBytes(text).toString();
  return name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN)}…` : name;
}
