import { isUtf8 } from "node:buffer";

/** Why bytes are no text in UTF-8. `what`: as a part of a sentence. `line`: the first line that is not. */
export type WrongEncoding = { readonly what: string; readonly line: number };

/** A text, without the byte order mark that some editors write. `wrong`: null if all of it is UTF-8. */
export type DecodedText = { readonly text: string; readonly wrong: WrongEncoding | null };

const NEWLINE = 0x0a;

/** The marks at the beginning of a text in another encoding. One mark of UTF-32 begins like one of UTF-16. */
const marks = [
  { name: "UTF-32", bytes: [0xff, 0xfe, 0, 0] },
  { name: "UTF-32", bytes: [0, 0, 0xfe, 0xff] },
  { name: "UTF-16", bytes: [0xff, 0xfe] },
  { name: "UTF-16", bytes: [0xfe, 0xff] },
] as const;

/** The other encoding that a file names by its first bytes; null: none. */
export function markedEncoding(bytes: Uint8Array): (typeof marks)[number]["name"] | null {
  return marks.find((one) => one.bytes.every((byte, at) => bytes[at] === byte))?.name ?? null;
}

/** Decodes the bytes of a file, and finds bytes that are not UTF-8. */
export function decodeText(bytes: Buffer): DecodedText {
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const encoding = markedEncoding(bytes);
  if (encoding !== null) return { text, wrong: { what: `is encoded in ${encoding}`, line: 1 } };
  const nul = bytes.indexOf(0);
  if (nul !== -1) {
    const wrong = isUtf16(bytes)
      ? { what: "is encoded in UTF-16 without a byte order mark", line: 1 }
      : { what: "has a NUL character", line: lineAt(bytes, nul) };
    return { text, wrong };
  }
  if (isUtf8(bytes)) return { text, wrong: null };
  const at = firstInvalid(bytes);
  const byte = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, "0");
  return { text, wrong: { what: `is not UTF-8: it has the byte 0x${byte}`, line: lineAt(bytes, at) } };
}

/** Whether every other byte is mostly 0, as for Latin letters in UTF-16. */
function isUtf16(bytes: Buffer): boolean {
  const part = bytes.subarray(0, 200);
  const zeros = [0, 0];
  for (const [at, byte] of part.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const most = Math.max(...zeros);
  return most > part.length / 4 && Math.min(...zeros) < most / 4;
}

/** The first byte that is replaced in a decoded text. */
function firstInvalid(bytes: Buffer): number {
  const again = Buffer.from(bytes.toString("utf8"), "utf8");
  const at = bytes.findIndex((byte, index) => byte !== again[index]);
  return at === -1 ? bytes.length : at;
}

function lineAt(bytes: Buffer, at: number): number {
  let line = 1;
  for (let next = bytes.indexOf(NEWLINE); next !== -1 && next < at; next = bytes.indexOf(NEWLINE, next + 1))
    line += 1;
  return line;
}
