import { describe, expect, it } from "vitest";

import { readOrdered, wrongImage } from "#cli/commands/image-option.ts";

const digest = "0123456789abcdef".repeat(4);
const read = (image: string | null, commit: string | null = null, branch: string | null = null) =>
  readOrdered({ branch, commit, image });

describe("the image of a deployment", () => {
  it.each([
    ["shop:v1", { name: "shop", branch: "v1", commit: null }],
    ["ghcr.io/acme/shop:v1.4", { name: "ghcr.io/acme/shop", branch: "v1.4", commit: null }],
    ["docker://127.0.0.1:5000/shop:v1", { name: "127.0.0.1:5000/shop", branch: "v1", commit: null }],
    [`shop@sha256:${digest}`, { name: "shop", branch: null, commit: digest }],
    [`ghcr.io/acme/shop:v1@sha256:${digest}`, { name: "ghcr.io/acme/shop", branch: "v1", commit: digest }],
  ])("%s has a name, a tag and a digest", (image, ordered) => {
    expect(read(image)).toEqual({ ok: true, value: ordered });
  });

  it.each(["shop", "127.0.0.1:5000/shop", "shop@sha256:0123", "shop:v 1"])("%s is refused", (image) => {
    expect(read(image).ok).toBe(false);
  });

  it("is refused beside a branch or a commit", () => {
    expect(read("shop:v1", digest).ok).toBe(false);
    expect(read("shop:v1", null, "v1").ok).toBe(false);
  });

  it("without it, the commit may be a digest", () => {
    expect(read(null, `sha256:${digest}`)).toMatchObject({ value: { commit: digest } });
    expect(read(null, "not a commit").ok).toBe(false);
  });

  it("must be of the project's repository", () => {
    const repository = "docker://ada@ghcr.io/acme/shop";
    for (const name of ["shop", "acme/shop", "ghcr.io/acme/shop"])
      expect(wrongImage(name, repository)).toBeNull();
    expect(wrongImage("hop", repository)).toContain("The project's repository is ghcr.io/acme/shop");
    expect(wrongImage("shop", "https://github.com/acme/shop")).toContain("--image is for a project");
  });
});
