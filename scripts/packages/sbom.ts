import { createHash } from "node:crypto";

import type { BundledPackage } from "./bundled-packages.ts";

/** What a bill of materials is about. `sha256`: of the file. */
export type Product = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Its package URL. */
  readonly purl: string;
  readonly sha256: string;
};

/** A part that is not of npm, such as Node itself. */
export type OtherPart = {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly purl: string;
};

/**
 * The bill of materials of a file, as CycloneDX 1.6. It lists what is really in it: the packages that are bundled.
 * Source: CycloneDX, "JSON Reference v1.6". It has no time and no random number, so that equal files give equal bytes.
 */
export function billOfMaterials(
  product: Product,
  bundled: readonly BundledPackage[],
  others: readonly OtherPart[] = [],
): string {
  const own = product.purl;
  const components = [
    ...bundled.map(({ name, version, license, sha512 }) => ({
      type: "library",
      "bom-ref": purlOf(name, version),
      name,
      version,
      ...(sha512 === null ? {} : { hashes: [{ alg: "SHA-512", content: sha512 }] }),
      licenses: licensesOf(license),
      purl: purlOf(name, version),
    })),
    ...others.map(({ name, version, license, purl }) => ({
      type: "platform",
      "bom-ref": purl,
      name,
      version,
      licenses: licensesOf(license),
      purl,
    })),
  ];
  const parts = components.map((component) => component["bom-ref"]);
  const document = {
    metadata: {
      component: {
        type: "application",
        "bom-ref": own,
        name: product.name,
        version: product.version,
        description: product.description,
        hashes: [{ alg: "SHA-256", content: product.sha256 }],
        licenses: licensesOf("MIT"),
        purl: own,
      },
    },
    components,
    dependencies: [{ ref: own, dependsOn: parts }, ...parts.map((ref) => ({ ref }))],
  };
  const head = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(document))}`,
    version: 1,
  };
  return `${JSON.stringify({ ...head, ...document }, null, 2)}\n`;
}

function licensesOf(license: string) {
  return [/^[\w.-]+$/.test(license) ? { license: { id: license } } : { expression: license }];
}

/** The URL of a package in npm. Source: the specification of package URLs. */
export function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** A UUID of version 8 that is made of a text. Source: RFC 9562. */
function uuidOf(text: string): string {
  const hash = createHash("sha256").update(text).digest("hex");
  const [one, two, three, four, five] = [
    ...[hash.slice(0, 8), hash.slice(8, 12), hash.slice(13, 16), hash.slice(17, 20), hash.slice(20, 32)],
  ];
  return `${one}-${two}-8${three}-8${four}-${five}`;
}
