import { readFile } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod";

import { root } from "../shared/root.ts";
import type { CommandOutcome } from "../shared/run-command.ts";

const Names = z.optional(z.array(z.string()));
const Entry = z.object({
  version: z.optional(z.string()),
  integrity: z.optional(z.string()),
  link: z.optional(z.boolean()),
  inBundle: z.optional(z.boolean()),
  os: Names,
  cpu: Names,
  libc: Names,
});
type Entry = z.infer<typeof Entry>;
const Lock = z.object({ packages: z.record(z.string(), Entry) });

/** `libc` is null if packages cannot select by it on this system. */
export type System = { readonly os: string; readonly cpu: string; readonly libc: string | null };

export type PackageHashes = {
  /** Packages without a hash that this system can install: a download could be anything. */
  readonly refused: readonly string[];
  /** Packages without a hash that only other systems can install. */
  readonly others: readonly string[];
};

/** Finds the packages of a package-lock.json that have no hash to verify a download. @throws if the text is invalid */
export function readPackageHashes(lock: string, system: System): PackageHashes {
  const refused: string[] = [];
  const others: string[] = [];
  for (const [path, entry] of Object.entries(Lock.parse(JSON.parse(lock)).packages)) {
    // Skips the project itself, its folders, and packages in the archive of another package.
    if (path === "" || !path.includes("node_modules/") || entry.link === true || entry.inBundle === true)
      continue;
    if (isStrong(entry.integrity)) continue;
    (isFor(entry, system) ? refused : others).push(`${path} ${entry.version ?? ""}`.trim());
  }
  return { refused, others };
}

/** SHA-1 can be forged. */
function isStrong(integrity = ""): boolean {
  return integrity.split(/\s+/).some((one) => /^sha(?:256|384|512)-[A-Za-z0-9+/]{40,}={0,2}$/.test(one));
}

/** Whether npm would install the package on this system. Source: `os`, `cpu` and `libc` of npm's package.json. */
function isFor({ os, cpu, libc }: Entry, system: System): boolean {
  return allows(os, system.os) && allows(cpu, system.cpu) && allows(libc, system.libc);
}

function allows(names: readonly string[] | undefined, own: string | null): boolean {
  if (names === undefined || names.length === 0 || names.includes("any")) return true;
  if (names.includes(`!${own}`)) return false;
  return names.includes(own ?? "") || names.every((name) => name.startsWith("!"));
}

const Report = z.object({ header: z.object({ glibcVersionRuntime: z.optional(z.string()) }) });

function thisSystem(): System {
  const hasGlibc =
    Report.safeParse(process.report.getReport()).data?.header.glibcVersionRuntime !== undefined;
  const libc = process.platform === "linux" ? (hasGlibc ? "glibc" : "musl") : null;
  return { os: process.platform, cpu: process.arch, libc };
}

/** Fails if package-lock.json lacks the hash of a package that this system can install. */
export async function checkPackageHashes(): Promise<CommandOutcome & { readonly note?: string }> {
  const lock = await readFile(join(root, "package-lock.json"), "utf8");
  const { refused, others } = readPackageHashes(lock, thisSystem());
  if (refused.length > 0)
    return {
      code: 1,
      output: `package-lock.json has no SHA-256 or stronger hash for:\n${refused.map((name) => `  ${name}`).join("\n")}`,
    };
  if (others.length === 0) return { code: 0, output: "" };
  return {
    code: 0,
    output: "",
    note: `${others.length} packages for other systems have none:\n${others.map((name) => `    ${name}`).join("\n")}\n `,
  };
}
