import type { DeployKey, DeployKeySummary } from "#contract/endpoints/projects/repository-access.ts";
import { keySettingsOf } from "#contract/forge.ts";
import { fromBase64, toBase64 } from "#sealing/bytes.ts";

/** A public key with its fingerprint: the SHA-256 of the key's bytes, as `ssh-keygen -l` prints it. */
export async function summarizeKey(publicKey: string): Promise<DeployKeySummary> {
  const blob = fromBase64(publicKey.split(" ")[1] ?? "");
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", blob));
  return { public_key: publicKey, fingerprint: `SHA256:${toBase64(hash).replace(/=+$/, "")}` };
}

/** A deploy key with the steps to add it to a repository. */
export function deployKeyView(key: DeployKeySummary, repository: string): DeployKey {
  const { forge, settingsUrl, steps } = keySettingsOf(repository);
  return { ...key, forge, settings_url: settingsUrl, steps: [...steps] };
}
