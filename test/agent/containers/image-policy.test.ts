import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { buildCommand } from "#agent/containers/build-script.ts";
import { imagePolicyOf, writeImagePolicy } from "#agent/containers/image-policy.ts";
import { probeCommand, pullCommand } from "#agent/containers/image-script.ts";
import { imageSource } from "#agent/containers/image-source.ts";
import type { ImageSignatures } from "#agent/policy/image-signatures.ts";
import { openPolicy } from "#agent/policy/policy.ts";
import { loginValues, openLogins, registryAuth } from "#agent/secrets/registry-auth.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";

import { ids } from "../support/harness.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "gantry-image-policy-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const rule: ImageSignatures = {
  images: { "ghcr.io/acme": "/k/a.pub", "docker.io/node": ["/k/a.pub", "/k/b.pub"], "quay.io": "accept" },
  others: "refuse",
};
const keys = new Map([
  ["/k/a.pub", "key a"],
  ["/k/b.pub", "key b"],
]);
/** A registry has the same images at its usual port. */
const atBothPorts = <Value>(places: Readonly<Record<string, Value>>) =>
  Object.fromEntries(
    Object.entries(places).flatMap(([place, value]) => [
      [place, value],
      [place.replace(/^[^/]+/, "$&:443"), value],
    ]),
  );
const read = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

describe("the files of the rule about signatures", () => {
  it("have the keys, and say where signatures are", async () => {
    const files = await writeImagePolicy(home, rule, keys);
    const signedIdentity = { type: "matchRepository" };
    const [a, b] = ["key a", "key b"].map((text) => Buffer.from(text).toString("base64"));
    const several = [{ type: "sigstoreSigned", keyDatas: [a, b], signedIdentity }];
    expect(read(files?.policy ?? "")).toEqual({
      default: [{ type: "reject" }],
      transports: {
        docker: atBothPorts<readonly object[]>({
          "ghcr.io/acme": [{ type: "sigstoreSigned", keyData: a, signedIdentity }],
          "docker.io/node": several,
          "docker.io/library/node": several,
          "quay.io": [{ type: "insecureAcceptAnything" }],
        }),
        "containers-storage": { "": [{ type: "insecureAcceptAnything" }] },
      },
    });
    const attached = { "use-sigstore-attachments": true };
    expect(read(join(files?.registries ?? "", "gantry.yaml"))).toEqual({
      docker: atBothPorts({
        "ghcr.io/acme": attached,
        "docker.io/node": attached,
        "docker.io/library/node": attached,
      }),
    });
    // Users of projects read them.
    for (const path of [files?.policy ?? "", files?.registries ?? "", dirname(files?.policy ?? "")])
      expect(statSync(path).mode & 0o044).toBe(0o044);
  });

  it("are others for another key, and are removed with the rule", async () => {
    const first = await writeImagePolicy(home, rule, keys);
    expect(await writeImagePolicy(home, rule, keys)).toEqual(first);
    const second = await writeImagePolicy(home, rule, new Map([...keys, ["/k/a.pub", "a new key"]]));
    expect(second?.hash).not.toBe(first?.hash);
    expect(readdirSync(join(home, "tools/image-policy"))).toEqual([second?.hash]);
    expect(await writeImagePolicy(home, "any", new Map())).toBeNull();
    expect(readdirSync(join(home, "tools"))).toEqual([]);
  });

  it("must be there when the policy has the rule", () => {
    expect(imagePolicyOf(openPolicy)).toBeNull();
    expect(() => imagePolicyOf({ ...openPolicy, image_signatures: rule })).toThrow("has no files");
  });
});

describe("the script of a build or a pull", () => {
  const place = { folder: projectFolder("/var/lib/gantry", ids.project()), environment: {} };
  const signatures = { hash: "h", policy: "/t/policy.json", registries: "/t/registries.d" };
  const build = {
    ...{ version: 1, dockerfile: "/r/Dockerfile", context: "/r", target: null, isFresh: false },
    ...{ args: {}, secrets: {}, auth: null, signatures: null },
  };
  const script = (change: Partial<Parameters<typeof buildCommand>[1]>) => {
    const made = buildCommand(place, { ...build, ...change });
    if (!made.ok) throw new Error(made.reason);
    return { text: made.value.argv[2] ?? "", env: made.value.env };
  };

  it("signs in by a file that only its programs get", () => {
    const auth = registryAuth([{ user: "ada", token: "s3cret", place: "ghcr.io" }]);
    expect(JSON.parse(auth)).toEqual({ auths: { "ghcr.io": { auth: btoa("ada:s3cret") } } });
    const { text, env } = script({ auth });
    expect(env["GANTRY_REGISTRY_AUTH"]).toBe(auth);
    expect(text).not.toContain(btoa("ada:s3cret"));
    const [written, build_] = ['>"$run/auth.json"\nunset GANTRY_REGISTRY_AUTH\n', "exec buildah"];
    expect(text.indexOf(written)).toBeGreaterThan(0);
    expect(text.indexOf(written)).toBeLessThan(text.indexOf("buildah"));
    expect(text).toContain(build_);
    expect(script({}).text).not.toContain("AUTH");
  });

  it("uses a secret only as a whole, and hides its parts", () => {
    const value = "ada:s3cret@ghcr.io\n";
    expect(openLogins(null)).toEqual({ ok: true, value: [] });
    expect(openLogins(value)).toEqual({
      ok: true,
      value: [{ user: "ada", token: "s3cret", place: "ghcr.io" }],
    });
    expect(loginValues(value)).toEqual(["s3cret", btoa("ada:s3cret")]);
    const wrong = openLogins(`${value}bob:s3cret`);
    expect(wrong).toMatchObject({
      message: expect.stringMatching(/^the secret GANTRY_REGISTRY_TOKEN .*line 2 has/),
    });
    expect(JSON.stringify(wrong)).not.toContain("s3cret");
  });

  it("names the files of the rule, and checks images that are there already", () => {
    const { text } = script({ signatures });
    expect(text).toMatch(
      /exec buildah .*--registries-conf-dir='\/t\/registries\.d' build .*--signature-policy='\/t\/policy\.json' --pull=always /,
    );
    expect(script({}).text).toContain("--network=host --pull=missing");
    const source = imageSource("docker://ghcr.io/acme/shop");
    const pulled = pullCommand(place, source, "a".repeat(64), 1, signatures).argv[2];
    const probed = probeCommand(place, "ghcr.io/acme/base:1", null, signatures).argv[2];
    for (const line of [pulled, probed])
      expect(line).toMatch(
        /--registries-conf-dir='\/t\/registries\.d' pull --quiet --policy=always --signature-policy='\/t\/policy\.json' 'docker:\/\/ghcr\.io\/acme\//,
      );
  });
});
