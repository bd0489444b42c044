import type { ProjectId } from "#contract/ids.ts";

/** Source: RFC 1035 section 2.3.4. */
const MAX_LABEL = 63;
const SUFFIX_LENGTH = 6;

/** The domain of a project that names none: its name as a host name below the installation's own. */
export function defaultDomain(name: string, baseDomain: string): string {
  return `${hostLabel(name, MAX_LABEL)}.${baseDomain}`;
}

/** The same for where that one is taken: the end of the project's id, which is random, makes it another. */
export function defaultDomainWithSuffix(name: string, id: ProjectId, baseDomain: string): string {
  return `${hostLabel(name, MAX_LABEL - SUFFIX_LENGTH - 1)}-${id.slice(-SUFFIX_LENGTH)}.${baseDomain}`;
}

/** What a host name's label can hold of a name: `Café à Go!` is `cafe-a-go`. `site` where nothing is left. */
function hostLabel(name: string, maxLength: number): string {
  const label = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, maxLength)
    .replace(/^-+|-+$/g, "");
  return label === "" ? "site" : label;
}
