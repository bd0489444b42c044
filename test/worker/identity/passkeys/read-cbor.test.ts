import { describe, expect, it } from "vitest";

import { type Bytes } from "#sealing/bytes.ts";
import { readCbor } from "#worker/identity/passkeys/read-cbor.ts";

const bytes = (hex: string): Bytes =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const read = (hex: string) => readCbor(bytes(hex))?.value;

// Source of the encodings: RFC 8949, appendix A.
describe("CBOR", () => {
  it.each([
    ["00", 0],
    ["17", 23],
    ["1818", 24],
    ["1903e8", 1_000],
    ["1a000f4240", 1_000_000],
    ["20", -1],
    ["3863", -100],
    ["f4", false],
    ["f5", true],
    ["f6", null],
    ["6449455446", "IETF"],
    ["62c3bc", "ü"],
    ["83010203", [1, 2, 3]],
    ["80", []],
    ["4401020304", bytes("01020304")],
    [
      "a201020304",
      new Map([
        [1, 2],
        [3, 4],
      ]),
    ],
    ["8301820203820405", [1, [2, 3], [4, 5]]],
  ])("%s is read", (hex, value) => {
    expect(read(hex)).toEqual(value);
  });

  it.each([
    ["", "nothing"],
    ["18", "a number that ends early"],
    ["1bffffffffffffffff", "a number of eight bytes"],
    ["44010203", "bytes that end early"],
    ["5affffffff00", "bytes of four gigabytes"],
    ["62ff", "a text that ends early"],
    ["61ff", "a text that is not UTF-8"],
    ["9affffffff01", "a list of four billion"],
    ["baffffffff0102", "a map of two billion"],
    ["a1", "a map without its key"],
    ["a101", "a map without its value"],
    ["a201020103", "a map with a key twice"],
    ["9f0102ff", "a list of unknown length"],
    ["c074", "a tag"],
    ["f90000", "a float"],
    ["f7", "undefined"],
    ["f814", "a simple value in two bytes"],
    [`${"81".repeat(10)}00`, "ten lists in each other"],
    ["81".repeat(5_000), "thousands of lists in each other"],
  ])("%s is refused: %s", (hex) => {
    expect(read(hex)).toBeUndefined();
  });

  it("says where the next item begins", () => {
    expect(readCbor(bytes("0083010203f5"), 1)).toMatchObject({ end: 5 });
  });
});
