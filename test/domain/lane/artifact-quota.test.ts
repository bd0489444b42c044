import { describe, expect, it } from "vitest";

import { ARTIFACT_PART_BYTES } from "#contract/artifact.ts";
import { MAX_STORED_BYTES, MAX_UNFINISHED_PARTS, refuseOverQuota } from "#domain/lane/artifact-quota.ts";

const name = (at: number) => String(at).padStart(64, "0");
const part = (build: number, at: number) => ({ sha256: name(build), part: at, bytes: ARTIFACT_PART_BYTES });
const parts = (count: number) =>
  Array.from({ length: count }, (_, at) => part(Math.floor(at / 64), (at % 64) + 1));

const codeOf = (...asked: Parameters<typeof refuseOverQuota>) =>
  refuseOverQuota(...asked)?.refusal.code ?? null;
const detailOf = (...asked: Parameters<typeof refuseOverQuota>) =>
  refuseOverQuota(...asked)?.refusal.detail ?? null;

describe("the quota of a project's builds", () => {
  const all = () => true;
  const none = () => false;

  it("is 8 GiB", () => {
    const full = parts(MAX_STORED_BYTES / ARTIFACT_PART_BYTES);
    expect(codeOf(full.slice(1), part(9, 1), all)).toBeNull();
    expect(codeOf(full, { ...part(9, 1), bytes: 1 }, all)).toBe("artifact_quota");
    expect(detailOf(full, part(9, 1), all)).toMatch(/can take 8(\.0)? GiB/);
  });

  it("allows two unfinished builds of the greatest size, and parts of others that are named", () => {
    const full = parts(MAX_UNFINISHED_PARTS);
    expect(codeOf(full.slice(1), part(9, 1), none)).toBeNull();
    expect(codeOf(full, part(9, 1), none)).toBe("artifact_quota");
    expect(codeOf(full, part(9, 1), (sha256) => sha256 === name(9))).toBeNull();
    expect(codeOf(full, part(9, 1), (sha256) => sha256 === name(1))).toBeNull();
  });

  it("does not refuse a part that is stored already", () => {
    const full = parts(MAX_STORED_BYTES / ARTIFACT_PART_BYTES);
    expect(codeOf(full, part(0, 1), none)).toBeNull();
  });
});
