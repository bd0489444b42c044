import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import {
  type ImageRequirement,
  type ImageSignatures,
  requirementsOf,
} from "#agent/policy/image-signatures.ts";
import type { ImagePolicy, Policy } from "#agent/policy/policy.ts";
import { toolsFolder } from "#agent/workspace/tools-folder.ts";
import { shellQuote } from "#node/shell-quote.ts";
import { writeAtomic } from "#node/write-atomic.ts";

const POLICY = "policy.json";
const REGISTRIES = "registries.d";
const SIGNATURES = "gantry.yaml";

/**
 * Writes the rule `image_signatures` as podman's programs read it: a policy.json, and a folder that says where signatures are. Units of
 * projects see these files and cannot change them. Each rule has a folder of its own, so that no image is checked by the
 * files of an earlier one.
 * @throws the file system's error
 */
export async function writeImagePolicy(
  home: string,
  rule: Policy["image_signatures"],
  keys: ReadonlyMap<string, string>,
): Promise<ImagePolicy | null> {
  const all = join(toolsFolder(home), "image-policy");
  if (rule === "any") {
    await rm(all, { recursive: true, force: true });
    return null;
  }
  const texts = { policy: policyText(rule, keys), signatures: signaturesText(rule) };
  const hash = createHash("sha256").update(JSON.stringify(texts)).digest("hex");
  const folder = join(all, hash);
  const registries = join(folder, REGISTRIES);
  const policy = join(folder, POLICY);
  await mkdir(registries, { recursive: true });
  await provide(join(registries, SIGNATURES), texts.signatures);
  await provide(policy, texts.policy);
  // Units read them, also if the agent's umask is stricter.
  for (const path of [toolsFolder(home), all, folder, registries]) await chmod(path, 0o755);
  for (const other of await readdir(all))
    if (other !== hash) await rm(join(all, other), { recursive: true, force: true });
  return { hash, policy, registries };
}

/** Does not write a file that has this text already: the disk may be full. */
async function provide(path: string, text: string): Promise<void> {
  const before = await readFile(path, "utf8").catch(() => null);
  if (before !== text) await writeAtomic(path, text, { mode: 0o644, flush: true });
  await chmod(path, 0o644);
}

const words = { accept: { type: "insecureAcceptAnything" }, refuse: { type: "reject" } } as const;

/** Source: the manual pages containers-policy.json and containers-registries.d. */
function policyText(rule: ImageSignatures, keys: ReadonlyMap<string, string>): string {
  const base64 = (path: string) => Buffer.from(keys.get(path) ?? "").toString("base64");
  const requirement = (one: ImageRequirement) => {
    if (one === "accept" || one === "refuse") return [words[one]];
    const paths = typeof one === "string" ? [one] : one;
    const [first = ""] = paths;
    const by = paths.length === 1 ? { keyData: base64(first) } : { keyDatas: paths.map(base64) };
    // cosign signs a digest in a repository, and no tag.
    return [{ type: "sigstoreSigned", ...by, signedIdentity: { type: "matchRepository" } }];
  };
  const docker = Object.fromEntries(
    [...requirementsOf(rule)].map(([place, required]) => [place, requirement(required)]),
  );
  // A build copies images and layers in the storage that were checked when they came there.
  const transports = { docker, "containers-storage": { "": [words.accept] } };
  return `${JSON.stringify({ default: [words[rule.others]], transports }, null, 2)}\n`;
}

/** Without it, the signatures that are beside the images in their registries are not read. JSON is YAML, too. */
function signaturesText(rule: ImageSignatures): string {
  const docker = [...requirementsOf(rule)]
    .filter(([, required]) => required !== "accept" && required !== "refuse")
    .map(([place]) => [place, { "use-sigstore-attachments": true }] as const);
  return `${JSON.stringify({ docker: Object.fromEntries(docker) }, null, 2)}\n`;
}

/** The options of a buildah that gets images: before its verb, and after it. They win over files in the home folder of a project. */
export function checkedBy(signatures: ImagePolicy | null): {
  readonly global: string;
  readonly options: string;
} {
  if (signatures === null) return { global: "", options: "" };
  return {
    global: ` --registries-conf-dir=${shellQuote(signatures.registries)}`,
    options: ` --signature-policy=${shellQuote(signatures.policy)}`,
  };
}

/** The files of this server's rule; null: it has none. @throws if they were not written, so that nothing is pulled unchecked */
export function imagePolicyOf({ image_signatures: rule, imagePolicy }: Policy): ImagePolicy | null {
  if (rule === "any") return null;
  if (imagePolicy === undefined) throw new Error("the rule image_signatures has no files");
  return imagePolicy;
}
