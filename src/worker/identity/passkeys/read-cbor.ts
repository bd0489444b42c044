import type { Bytes } from "#sealing/bytes.ts";

// Source: RFC 8949. Only what authenticators send (CTAP2 canonical CBOR): definite lengths, no tags, no floats.

export type CborValue = number | string | boolean | null | Bytes | readonly CborValue[] | CborMap;
export type CborMap = ReadonlyMap<CborValue, CborValue>;

export function isMap(value: CborValue | undefined): value is CborMap {
  return value instanceof Map;
}

export function isBytes(value: CborValue | undefined): value is Bytes {
  return value instanceof Uint8Array;
}

/** An item, and where the bytes after it begin. */
export type CborItem = { readonly value: CborValue; readonly end: number };

/** The additional information after which the length has this many bytes. */
const LENGTH_BYTES: ReadonlyMap<number, number> = new Map([
  [24, 1],
  [25, 2],
  [26, 4],
]);

/** As canonical CBOR of CTAP2 allows, with room. */
const MAX_DEPTH = 8;

const simple: ReadonlyMap<number, boolean | null> = new Map([
  [20, false],
  [21, true],
  [22, null],
]);

/** Reads one item. @returns null if the bytes are none, or of a kind that authenticators do not send */
export function readCbor(bytes: Bytes, at = 0, depth = 0): CborItem | null {
  const head = readHead(bytes, at);
  if (head === null || depth > MAX_DEPTH) return null;
  const { kind, argument, end } = head;
  switch (kind) {
    case 0:
      return { value: argument, end };
    case 1:
      return { value: -1 - argument, end };
    case 2:
    case 3: {
      if (end + argument > bytes.length) return null;
      const part = bytes.slice(end, end + argument);
      const value = kind === 2 ? part : textOf(part);
      return value === null ? null : { value, end: end + argument };
    }
    case 4:
      return readItems(bytes, end, argument, depth);
    case 5:
      return readMap(bytes, end, argument, depth);
    case 7: {
      const value = simple.get(argument);
      return value === undefined || end !== at + 1 ? null : { value, end };
    }
    default:
      return null;
  }
}

/** The kind of an item (its major type), and its argument: a number or a length. */
function readHead(bytes: Bytes, at: number) {
  const first = bytes[at];
  if (first === undefined) return null;
  const [kind, info] = [first >> 5, first & 31];
  if (info < 24) return { kind, argument: info, end: at + 1 };
  const length = LENGTH_BYTES.get(info);
  if (length === undefined || at + 1 + length > bytes.length) return null;
  const argument = bytes.slice(at + 1, at + 1 + length).reduce((number, byte) => number * 256 + byte, 0);
  return { kind, argument, end: at + 1 + length };
}

function readItems(bytes: Bytes, at: number, count: number, depth: number) {
  const items: CborValue[] = [];
  let end = at;
  // A length can be longer than the bytes: each item takes one at least.
  for (let left = count; left > 0; left -= 1) {
    const item = readCbor(bytes, end, depth + 1);
    if (item === null) return null;
    items.push(item.value);
    ({ end } = item);
  }
  return { value: items, end };
}

function readMap(bytes: Bytes, at: number, count: number, depth: number): CborItem | null {
  const read = readItems(bytes, at, count * 2, depth);
  if (read === null) return null;
  const map = new Map<CborValue, CborValue>();
  for (let index = 0; index < count; index += 1) {
    const [key, value] = read.value.slice(index * 2, index * 2 + 2);
    // A key that occurs twice could be read differently by two readers.
    if (key === undefined || value === undefined || map.has(key)) return null;
    map.set(key, value);
  }
  return { value: map, end: read.end };
}

function textOf(bytes: Bytes): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}
