import { isImageRepository } from "#contract/addresses/repository-address.ts";
import { HookForge } from "#contract/endpoints/hooks/push-decisions.ts";
import { keySettingsOf } from "#contract/forge.ts";

/** The kind of the hook for a repository, by its address; null: the address does not tell it. */
export function hookForgeOf(repository: string): HookForge | null {
  const forge = isImageRepository(repository) ? "registry" : keySettingsOf(repository).forge;
  return HookForge.safeParse(forge).data ?? null;
}
