import { createHash, createPrivateKey, X509Certificate } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod/mini";

import type { IngressSettings } from "#agent/ingress/settings.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { fileExists } from "#node/file-exists.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/**
 * A certificate that something else renews, as a copy: Caddy refuses to start if a file is missing, or does not fit its key
 * for a moment. The names of the copies are hashes, so that Caddy's configuration changes with them. `source`: the file that
 * the settings name. `names`: that it is for, such as `*.example.com`.
 */
export const FileCertificate = z.object({
  source: z.string(),
  cert: z.string(),
  key: z.string(),
  names: z.array(z.string()),
});
export type FileCertificate = z.infer<typeof FileCertificate>;

/** `problems`: sentences. */
export type CertificatesCopied = {
  readonly certificates: readonly FileCertificate[];
  readonly problems: readonly string[];
};

/** Whether one of the certificates is for a host name. */
export function isCovered(host: string, certificates: readonly FileCertificate[]): boolean {
  const wildcard = `*.${host.slice(host.indexOf(".") + 1)}`;
  return certificates.some(({ names }) => names.includes(host) || names.includes(wildcard));
}

const copiesFolder = (home: string) => join(home, "ingress", "certificates");

/**
 * Copies the certificates that the settings name, if they have changed. Never throws.
 * @param before the copies that Caddy uses: they stay for a source that cannot be used now
 */
export async function copyCertificates(
  home: string,
  { certificates }: Pick<IngressSettings, "certificates">,
  before: readonly FileCertificate[],
): Promise<CertificatesCopied> {
  const problems: string[] = [];
  const copied = await Promise.all(
    certificates.map(async ({ cert, key }) => {
      try {
        return [await copyOf(home, cert, key)];
      } catch (error) {
        problems.push(`The certificate ${cert} with the key ${key} cannot be used: ${messageOf(error)}`);
        return before.filter(({ source }) => source === cert);
      }
    }),
  );
  return { certificates: copied.flat(), problems };
}

/** @throws if a file cannot be read or written, or they do not fit each other */
async function copyOf(home: string, source: string, keySource: string): Promise<FileCertificate> {
  const [certText, keyText] = await Promise.all([readFile(source, "utf8"), readFile(keySource, "utf8")]);
  const certificate = new X509Certificate(certText);
  if (!certificate.checkPrivateKey(createPrivateKey(keyText)))
    throw new Error("the key is of another certificate");
  const id = createHash("sha256").update(certText).update(keyText).digest("hex").slice(0, 16);
  const folder = copiesFolder(home);
  const [cert, key] = [join(folder, `${id}.crt`), join(folder, `${id}.key`)];
  await mkdir(folder, { recursive: true });
  // Caddy is in the agent's group, and no project is.
  if (!(await fileExists(key))) await writeAtomic(key, keyText, { mode: 0o640, flush: true });
  if (!(await fileExists(cert))) await writeAtomic(cert, certText, { mode: 0o640, flush: true });
  return { source, cert, key, names: namesIn(certificate) };
}

function namesIn({ subjectAltName = "" }: X509Certificate): string[] {
  return subjectAltName
    .split(", ")
    .flatMap((name) => (name.startsWith("DNS:") ? [name.slice("DNS:".length).toLowerCase()] : []));
}

/** Deletes the copies that Caddy no longer uses. Never throws. */
export async function removeOtherCopies(home: string, used: readonly FileCertificate[]): Promise<void> {
  const folder = copiesFolder(home);
  const kept = new Set(used.flatMap(({ cert, key }) => [cert, key]));
  for (const name of await readdir(folder).catch(() => []))
    if (!kept.has(join(folder, name))) await rm(join(folder, name), { force: true }).catch(() => undefined);
}
