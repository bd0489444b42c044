import { ArtifactError } from "#build/artifact/artifact-error.ts";
import { type ByteText, fromBytes, toBytes } from "#build/artifact/byte-text.ts";
import {
  encodeHeader,
  flags,
  LARGEST_SIZE,
  LONGEST_NAME,
  LONGEST_TARGET,
  padding,
  type TarHeader,
} from "#build/artifact/tar/header.ts";

/** The fields of a pax header that count here. */
export type PaxFields = {
  readonly path?: ByteText;
  readonly linkpath?: ByteText;
  readonly size?: number;
  readonly mtime?: number;
};

/** The headers of an entry: one, with a pax header before it if something does not fit. */
export function encodeEntry(header: TarHeader): Buffer {
  const { path, target, size } = header;
  const records = [
    path.length > LONGEST_NAME ? record("path", path) : "",
    target.length > LONGEST_TARGET ? record("linkpath", target) : "",
    size > LARGEST_SIZE ? record("size", String(size)) : "",
  ].join("");
  if (records === "") return encodeHeader(header);
  const body = toBytes(records);
  const pax = { ...header, path: "pax", flag: flags.pax, mode: 0o644, size: body.length, target: "" };
  return Buffer.concat([encodeHeader(pax), body, padding(body.length), encodeHeader(header)]);
}

/** A record begins with its own length, whose digits count too. */
function record(name: string, value: ByteText): ByteText {
  const rest = ` ${name}=${value}\n`;
  let length = rest.length;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return `${length}${rest}`;
}

/** @throws ArtifactError for what is not pax, or a sparse file, whose content is not the file's */
export function decodePax(body: Buffer): PaxFields {
  const found: { -readonly [Name in keyof PaxFields]: PaxFields[Name] } = {};
  let rest = body;
  // Some programs pad with zeros.
  while (rest.length > 0 && rest[0] !== 0) {
    const space = rest.indexOf(0x20);
    const digits = fromBytes(rest.subarray(0, Math.max(0, space)));
    const length = /^[1-9]\d{0,6}$/.test(digits) ? Number(digits) : 0;
    if (length <= space || length > rest.length || rest[length - 1] !== 0x0a) throw malformed();
    const text = fromBytes(rest.subarray(space + 1, length - 1));
    const equals = text.indexOf("=");
    if (equals < 1) throw malformed();
    const value = text.slice(equals + 1);
    const name = text.slice(0, equals);
    if (name.startsWith("GNU.sparse."))
      throw new ArtifactError(
        "refused",
        "it has a file in a sparse form: make it without the option --sparse",
      );
    if (name === "path" || name === "linkpath") found[name] = value;
    else if (name === "size" || name === "mtime") found[name] = numberIn(value);
    rest = rest.subarray(length);
  }
  return found;
}

function numberIn(value: string): number {
  const number = /^\d{1,15}(?:\.\d*)?$/.test(value)
    ? Math.floor(Number(value))
    : value.startsWith("-")
      ? 0
      : NaN;
  if (!Number.isSafeInteger(number)) throw malformed();
  return number;
}

const malformed = () => new ArtifactError("invalid", "it has a pax header that is not valid");
