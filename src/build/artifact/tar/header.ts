import { ArtifactError } from "#build/artifact/artifact-error.ts";
import { type ByteText, fromBytes } from "#build/artifact/byte-text.ts";

/** The size of a header, and the unit of everything in an archive. Source of this format: POSIX.1-2017, pax. */
export const BLOCK = 512;

/** What an entry is, by its `typeflag`. `meta`: a header about the next entries. `refused`: a device, a pipe or unknown. */
export type TarType = "file" | "folder" | "link" | "hard_link" | "meta" | "refused";

/** A header, as it is written and read. `size`: the bytes that follow it. `target`: of a link. */
export type TarHeader = {
  readonly path: ByteText;
  readonly flag: string;
  readonly mode: number;
  readonly size: number;
  /** In seconds. */
  readonly mtime: number;
  readonly target: ByteText;
};

/** The `typeflag` of the entries that are written. */
export const flags = { file: "0", hard_link: "1", link: "2", folder: "5", pax: "x" } as const;

const types: Readonly<Record<string, TarType>> = {
  "0": "file",
  "\0": "file",
  "7": "file",
  "1": "hard_link",
  "2": "link",
  "5": "folder",
  ...{ x: "meta", X: "meta", g: "meta", L: "meta", K: "meta", V: "meta" },
};

/** What an entry with this `typeflag` is. */
export const typeOf = (flag: string): TarType => types[flag] ?? "refused";

type Place = readonly [at: number, length: number];

/** The fields of a header: their offset and length. */
const fields = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  flag: [156, 1],
  target: [157, 100],
  magic: [257, 6],
  version: [263, 2],
  prefix: [345, 155],
} as const satisfies Record<string, Place>;

/** The most bytes of a path and of a link's target in a header. Longer ones are in a pax header. */
export const LONGEST_NAME = fields.name[1];
export const LONGEST_TARGET = fields.target[1];
/** The largest number of eleven octal digits. */
export const LARGEST_SIZE = 8 ** 11 - 1;

/** @param header whose texts and numbers fit; others are in a pax header before it */
export function encodeHeader({ path, flag, mode, size, mtime, target }: TarHeader): Buffer {
  const block = Buffer.alloc(BLOCK);
  const put = (name: keyof typeof fields, text: string): void => {
    block.write(text, fields[name][0], fields[name][1], "latin1");
  };
  const octal = (name: keyof typeof fields, value: number): void =>
    put(name, `${value.toString(8).padStart(fields[name][1] - 1, "0")}\0`);
  put("name", path.slice(0, LONGEST_NAME));
  octal("mode", mode);
  octal("uid", 0);
  octal("gid", 0);
  octal("size", size > LARGEST_SIZE ? 0 : size);
  octal("mtime", Math.min(Math.max(0, Math.floor(mtime)), LARGEST_SIZE));
  put("flag", flag);
  put("target", target.slice(0, LONGEST_TARGET));
  put("magic", "ustar\0");
  put("version", "00");
  put("checksum", "        ");
  put("checksum", `${sumOf(block).toString(8).padStart(6, "0")}\0 `);
  return block;
}

/** @returns null for a block of zeros, of which two end an archive. @throws ArtifactError */
export function decodeHeader(block: Buffer): TarHeader | null {
  const [at, length] = fields.checksum;
  const sum = textAt(block, fields.checksum);
  if (block[0] === 0 && block.every((byte) => byte === 0)) return null;
  const blank = Buffer.from(block).fill(0x20, at, at + length);
  if (readOctal(sum) !== sumOf(blank))
    throw new ArtifactError("invalid", "it is not a tar archive, or damaged");
  const text = (name: keyof typeof fields): ByteText => textOf(block, fields[name]);
  const magic = textAt(block, fields.magic);
  // GNU's old format has other things in the place of the prefix.
  const prefix = magic === "ustar\0" ? text("prefix") : "";
  return {
    path: prefix === "" ? text("name") : `${prefix}/${text("name")}`,
    flag: textAt(block, fields.flag),
    mode: numberOf(block, fields.mode) & 0o7777,
    size: numberOf(block, fields.size),
    mtime: numberOf(block, fields.mtime),
    target: text("target"),
  };
}

const textAt = (block: Buffer, [at, length]: Place): ByteText => fromBytes(block.subarray(at, at + length));

function sumOf(block: Buffer): number {
  let sum = 0;
  for (const byte of block) sum += byte;
  return sum;
}

function textOf(block: Buffer, place: Place): ByteText {
  const text = textAt(block, place);
  const end = text.indexOf("\0");
  return end === -1 ? text : text.slice(0, end);
}

/** An octal number, or GNU's form for large numbers: the first bit is set, and the rest is big-endian. */
function numberOf(block: Buffer, [at, length]: Place): number {
  const bytes = block.subarray(at, at + length);
  const first = bytes[0] ?? 0;
  if ((first & 0x80) === 0) return readOctal(fromBytes(bytes));
  // A time before 1970 is negative there.
  if (first === 0xff) return 0;
  let value = first & 0x7f;
  for (const byte of bytes.subarray(1)) value = value * 256 + byte;
  if (!Number.isSafeInteger(value)) throw new ArtifactError("invalid", "it has a number that is too large");
  return value;
}

function readOctal(text: string): number {
  const digits = /^[ \0]*([0-7]*)[ \0]*$/.exec(text)?.[1];
  if (digits === undefined) throw new ArtifactError("invalid", "it has a number that is not octal");
  return digits === "" ? 0 : Number.parseInt(digits, 8);
}

/** How many zeros follow the bytes of an entry, up to the next block. */
export function paddingBytes(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

/** The zeros after the bytes of an entry. */
export const padding = (size: number): Buffer => Buffer.alloc(paddingBytes(size));

/** The two blocks of zeros that end an archive. */
export const endOfArchive = (): Buffer => Buffer.alloc(2 * BLOCK);
