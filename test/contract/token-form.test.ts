import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

import { describe, expect, it } from "vitest";

import { formToken, isWellFormedToken, randomTokenCharacters } from "#contract/token-form.ts";

const RANDOM = "0123456789ABCDEFGHIJabcdefghij";

describe("a token", () => {
  it("ends with the CRC-32 of its random part in base62, six characters wide", () => {
    const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (let round = 0; round < 200; round += 1) {
      const random = randomTokenCharacters(randomBytes);
      const sum = formToken(random).slice(-6);
      const value = sum.split("").reduce((number, digit) => number * 62 + digits.indexOf(digit), 0);
      expect(value).toBe(crc32(random));
    }
  });

  it("is well formed, and not after any character is changed, removed or added", () => {
    const token = formToken(RANDOM);
    expect(token).toHaveLength("gantry_".length + 36);
    expect(isWellFormedToken(token)).toBe(true);
    for (let at = 0; at < token.length; at += 1) {
      const other = token[at] === "x" ? "y" : "x";
      expect(isWellFormedToken(token.slice(0, at) + other + token.slice(at + 1))).toBe(false);
    }
    for (const text of ["", token.slice(1), `${token} `, `${token}\n`, token.toUpperCase(), `x${token}`])
      expect(isWellFormedToken(text)).toBe(false);
  });

  it("needs exactly 30 base62 characters", () => {
    expect(() => formToken("short")).toThrow(RangeError);
    expect(() => formToken(`${RANDOM.slice(1)}-`)).toThrow(RangeError);
  });

  it("uses every character equally often", () => {
    const counts = new Map<string, number>();
    for (let round = 0; round < 2_000; round += 1)
      for (const character of randomTokenCharacters(randomBytes))
        counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // 60,000 characters: 968 of each, with a deviation of 31. Without the skipped bytes, some would be 20 % more likely.
    for (const count of counts.values()) expect(Math.abs(count - 968)).toBeLessThan(190);
  });
});
