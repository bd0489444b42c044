import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";

import { buildPackages } from "../../../scripts/packages/build-packages.ts";
import { publishedName } from "../../../scripts/packages/package-list.ts";
import { packageVersion } from "../../../scripts/shared/package-version.ts";
import { root } from "../../../scripts/shared/root.ts";
import { buildElsewhere } from "./support/build-elsewhere.ts";

const License = z.union([
  z.strictObject({ license: z.strictObject({ id: z.string() }) }),
  z.strictObject({ expression: z.string() }),
]);
const Component = z.strictObject({
  type: z.enum(["application", "library", "platform"]),
  "bom-ref": z.string(),
  name: z.string(),
  version: z.string(),
  description: z.string().optional(),
  hashes: z.array(
    z.strictObject({ alg: z.enum(["SHA-256", "SHA-512"]), content: z.string().regex(/^[0-9a-f]+$/) }),
  ),
  licenses: z.array(License),
  purl: z.string().regex(/^pkg:(?:npm|generic)\//),
});
/** Source: CycloneDX, "JSON Reference v1.6". */
const Bill = z.strictObject({
  bomFormat: z.literal("CycloneDX"),
  specVersion: z.literal("1.6"),
  serialNumber: z
    .string()
    .regex(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
  version: z.literal(1),
  metadata: z.strictObject({ component: Component }),
  components: z.array(Component),
  dependencies: z.array(z.strictObject({ ref: z.string(), dependsOn: z.array(z.string()).optional() })),
});

const folder = mkdtempSync(join(tmpdir(), "gantry-packages-"));
const [first, second] = [join(folder, "first"), join(folder, "second")];
let version: string;
const sha256 = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

beforeAll(async () => {
  version = await packageVersion();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the packages", () => {
  it("have the same bytes in each build, and the hashes of SHA256SUMS", async () => {
    const built = await buildPackages({ version, folder: first, hasExecutable: false });
    buildElsewhere(
      folder,
      "build-packages",
      `buildPackages(${JSON.stringify({ version, folder: second, hasExecutable: false })})`,
    );
    expect(readdirSync(first).toSorted()).toEqual(built.toSorted());
    for (const name of built)
      expect(readFileSync(join(second, name)).equals(readFileSync(join(first, name))), name).toBe(true);
    execFileSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: first, stdio: "pipe" });
    expect(built).toEqual(expect.arrayContaining([`gantry-${version}.tgz`, `gantry-agent-${version}.tgz`]));
  });

  it("have programs that run, and only readable files", () => {
    for (const name of ["gantry", "gantry-agent"]) {
      const target = join(folder, name);
      mkdirSync(target);
      execFileSync("tar", ["-xzf", join(first, `${name}-${version}.tgz`), "-C", target]);
      const program = join(target, "package", `${name}.mjs`);
      const path = `${join(root, "node_modules", ".bin")}:${process.env["PATH"] ?? ""}`;
      const printed = execFileSync(program, ["--version"], {
        encoding: "utf8",
        env: { ...process.env, PATH: path },
      });
      expect(printed).toContain(`${name} ${version}`);
      const listed = execFileSync("tar", ["-tvzf", join(first, `${name}-${version}.tgz`)], {
        encoding: "utf8",
      });
      expect(listed.match(/^\S+/gm)?.toSorted()).toEqual([
        "-rw-r--r--",
        "-rw-r--r--",
        "-rw-r--r--",
        "-rw-r--r--",
        "-rwxr-xr-x",
      ]);
    }
  });

  it("have a bill of materials of what is bundled, and its licenses", () => {
    for (const name of ["gantry", "gantry-agent"]) {
      const { metadata, components, dependencies } = Bill.parse(
        JSON.parse(readFileSync(join(first, `${name}-${version}.cdx.json`), "utf8")),
      );
      const { hashes } = metadata.component;
      expect(hashes).toEqual([{ alg: "SHA-256", content: sha256(join(first, `${name}-${version}.tgz`)) }]);
      expect(components.map((one) => one.name)).toEqual(expect.arrayContaining(["yaml", "zod"]));
      expect(components.map((one) => one.name).includes("ws")).toBe(name === "gantry-agent");
      const refs = components.map((one) => one["bom-ref"]);
      expect(new Set(refs).size).toBe(refs.length);
      expect(dependencies[0]?.dependsOn).toEqual(refs);
      const licenses = readFileSync(join(folder, name, "package", "LICENSES-BUNDLED.txt"), "utf8");
      for (const one of components) expect(licenses).toContain(`\n${one.name} ${one.version}\n`);
    }
  });

  it("have the scope of their owner", () => {
    expect(publishedName("gantry", "@acme")).toBe("@acme/gantry");
    expect(publishedName("gantry", null)).toBe("gantry");
  });
});
