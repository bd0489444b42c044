import { execFile } from "node:child_process";
import { delimiter } from "node:path";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

import { bytesOf } from "#sealing/bytes.ts";
import { generateKeyPair, open, seal } from "#sealing/hpke.ts";

import { bundleHpkeChecks } from "../support/bundle-hpke-checks.ts";
import { allHpkeChecks, checkHpke } from "../support/hpke-checks.ts";

const context = { info: bytesOf("info"), aad: bytesOf("aad") };
const message = bytesOf("correct horse battery staple");

describe("HPKE", () => {
  it("works as RFC 9180 says and with another implementation, in this Node", async () => {
    expect(await checkHpke()).toEqual(allHpkeChecks);
  });

  it("works in the machine's own Node, which may be older", async () => {
    const path = (process.env["PATH"] ?? "")
      .split(delimiter)
      .filter((part) => !part.includes("node_modules"));
    const script = `${await bundleHpkeChecks()}; hpke.checkHpke().then((made) => console.log(JSON.stringify(made)))`;
    const { stdout } = await promisify(execFile)("node", ["-e", script], {
      env: { PATH: path.join(delimiter) },
    });
    expect(JSON.parse(stdout)).toEqual(allHpkeChecks);
  });

  it.each([
    ["an empty message", new Uint8Array(0)],
    ["a message of 32 KiB", new Uint8Array(32 * 1024).fill(7)],
  ])("opens what it sealed: %s", async (_name, bytes) => {
    const keys = await generateKeyPair();
    const box = await seal(keys.publicKey, context, bytes);
    expect(box.length).toBe(bytes.length + 48);
    expect(await open(keys, context, box)).toEqual(bytes);
  });

  it("seals the same message differently each time", async () => {
    const { publicKey } = await generateKeyPair();
    expect(await seal(publicKey, context, message)).not.toEqual(await seal(publicKey, context, message));
  });

  it("does not open a box with another key, another context, a changed byte or a missing end", async () => {
    const keys = await generateKeyPair();
    const box = await seal(keys.publicKey, context, message);
    expect(await open(await generateKeyPair(), context, box)).toBeNull();
    expect(await open(keys, { ...context, aad: bytesOf("bad") }, box)).toBeNull();
    expect(await open(keys, { ...context, info: bytesOf("bad") }, box)).toBeNull();
    for (const at of [0, 31, 32, box.length - 1]) {
      const changed = box.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(await open(keys, context, changed)).toBeNull();
    }
    for (const length of [0, 31, 32, 47, box.length - 1])
      expect(await open(keys, context, box.slice(0, length))).toBeNull();
  });

  it("refuses a public key that gives every sender the same secret", async () => {
    await expect(seal(new Uint8Array(32), context, message)).rejects.toThrow();
  });
});
